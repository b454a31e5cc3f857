import type { JsonValue } from '@quire/core';
import type { FileFinder } from '@quire/tables';
import type { RowFile, SegmentRecord } from '../segments/manifest.ts';
import type { ServedTable } from '../served-table.ts';

/** What a merge does with equal rows. */
export type MergeMode = 'concat' | 'dedup' | 'rollup';
/** How values of rows that become one are combined. */
export type Aggregation = 'sum' | 'min' | 'max';

/** What rows of segments become in others. */
export interface MergeWork {
  readonly kind: 'merge';
  readonly sourceTable: string;
  readonly inputs: readonly RowFile[];
  readonly mode: MergeMode;
  readonly aggregations: Readonly<Record<string, Aggregation>>;
  /** Times are rounded down to a multiple of it before rows are put together; null: as they are. */
  readonly roundMs: number | null;
  /** Only rows whose time is in `[startMs, endMs)`; null: all. */
  readonly window: { readonly startMs: number; readonly endMs: number } | null;
  readonly rowsMax: number;
  /** What the new segments say of themselves. */
  readonly custom: Readonly<Record<string, string>>;
}

/** A file that becomes a segment. */
export interface GenerateWork {
  readonly kind: 'generate';
  readonly uri: string;
  readonly batchConfig: Readonly<Record<string, string>>;
}

/** What a subtask has to do. */
export type SubtaskWork = MergeWork | GenerateWork;

/** What has been done for a table by tasks that are over. */
export interface TaskProgress {
  /** URIs of files that are in the table, or were. */
  readonly ingestedFiles: readonly string[];
  /** Rows before it have been moved to the offline half; null before the first time. */
  readonly watermarkMs: number | null;
}

export const noProgress: TaskProgress = { ingestedFiles: [], watermarkMs: null };

/** How the outputs of all subtasks appear together. */
export interface CommitPlan {
  /** The table that gets the new segments. */
  readonly targetTable: string;
  /** Segments that go in the same moment: those that were merged, or all. */
  readonly remove: readonly string[] | 'all';
  /** What is remembered of it for the table that the task is for. */
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

/** What a plan is made from. */
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
 * Plans a task, or says why there is nothing to do. @throws TABLE_INVALID when the config does not
 * suit the type
 */
export type TaskPlanner = (input: PlanInput) => Promise<TaskPlan | { readonly reason: string }>;

/** The output of a subtask: segments that are not visible yet. */
export interface SubtaskOutput {
  readonly segments: readonly SegmentRecord[];
  readonly info: string;
}
