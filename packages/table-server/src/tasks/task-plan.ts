import type { JsonValue } from '@quire/core';
import type { FileFinder } from '@quire/tables';
import type { RowFile, SegmentRecord } from '../segments/manifest.ts';
import type { ServedTable } from '../served-table.ts';

/** The treatment of equal rows in a merge. */
export type MergeMode = 'concat' | 'dedup' | 'rollup';
/** The aggregation of the values of rows that are merged. */
export type Aggregation = 'sum' | 'min' | 'max';

/** The merge of the rows of segments into new ones. */
export interface MergeWork {
  readonly kind: 'merge';
  readonly sourceTable: string;
  readonly inputs: readonly RowFile[];
  readonly mode: MergeMode;
  readonly aggregations: Readonly<Record<string, Aggregation>>;
  /**
   * Times are rounded down to a multiple of this before rows are merged; null leaves them
   * unchanged.
   */
  readonly roundMs: number | null;
  /** Selects rows whose time is in `[startMs, endMs)`; null selects all. */
  readonly window: { readonly startMs: number; readonly endMs: number } | null;
  readonly rowsMax: number;
  /** The custom metadata of the new segments. */
  readonly custom: Readonly<Record<string, string>>;
}

/** A file to load into a segment. */
export interface GenerateWork {
  readonly kind: 'generate';
  readonly uri: string;
  readonly batchConfig: Readonly<Record<string, string>>;
}

/** The work of a subtask. */
export type SubtaskWork = MergeWork | GenerateWork;

/** The progress of a table through its finished tasks. */
export interface TaskProgress {
  /** URIs of files that are in the table, or were. */
  readonly ingestedFiles: readonly string[];
  /** Rows before this time have been moved to the offline half; null before the first move. */
  readonly watermarkMs: number | null;
}

export const noProgress: TaskProgress = { ingestedFiles: [], watermarkMs: null };

/** The change that makes the outputs of all subtasks visible at once. */
export interface CommitPlan {
  /** The table that gets the new segments. */
  readonly targetTable: string;
  /** Segments that are removed at the same moment: those that were merged, or all. */
  readonly remove: readonly string[] | 'all';
  /** The progress that is stored for the table of the task. */
  readonly ingestedFiles: readonly string[];
  readonly watermarkMs: number | null;
}

export interface TaskPlan {
  readonly subtasks: readonly {
    readonly configs: Readonly<Record<string, JsonValue>>;
    readonly work: SubtaskWork;
  }[];
  readonly commit: CommitPlan;
}

/** The input of a plan. */
export interface PlanInput {
  readonly table: ServedTable;
  /** The offline half of the same table. */
  readonly offline: ServedTable | undefined;
  readonly configs: Readonly<Record<string, string>>;
  readonly progress: TaskProgress;
  readonly finder: FileFinder | undefined;
  readonly nowMs: number;
  readonly signal: AbortSignal;
}

/**
 * Plans a task, or returns the reason why there is nothing to do. @throws TABLE_INVALID when the
 * config does not fit the type
 */
export type TaskPlanner = (input: PlanInput) => Promise<TaskPlan | { readonly reason: string }>;

/** The output of a subtask: segments that are not visible yet. */
export interface SubtaskOutput {
  readonly segments: readonly SegmentRecord[];
  readonly info: string;
}
