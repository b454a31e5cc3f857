import type { CompleteTableConfig } from '../config/parse-table-config.ts';
import type { Finding } from '../finding.ts';
import type { Explanation } from '../infer/schema-inference.ts';
import type { Change } from '../pipeline/journal.ts';
import type { DroppedRow } from '../pipeline/run-pipeline.ts';
import type { SourceRow } from '../row.ts';
import type { CompleteTableSchema } from '../schema/parse-table-schema.ts';

/** A row as it came. */
export interface SampledRow {
  readonly nullValueFields: readonly string[];
  readonly fieldToValueMap: SourceRow;
}

/** A row as the table would hold it, and what happened to it on the way. */
export interface PreviewedRow extends SampledRow {
  /** Which of `sourceRows` it comes from, counted from 0. */
  readonly sourceIndex: number;
  /** Whether a value became null because it was wrong. */
  readonly incomplete: boolean;
  /** Whether a value was cut or replaced because it was too long. */
  readonly sanitized: boolean;
}

/** Counts of a preview; the names are those of the specification (2.3), and five more. */
export interface PreviewSummary {
  readonly getnSourceRows: number;
  readonly getnSourceColumns: number;
  readonly getnRows: number;
  readonly getnColumns: number;
  readonly getnFilteredRows: number;
  readonly getnFailedRows: number;
  readonly getnUnnestedRows: number;
  readonly getnIncompleteRows: number;
  readonly getnSanitizedRows: number;
  readonly batch: { readonly getnMatchingFiles: number };
  readonly realtime: {
    readonly getnPartitions: number;
    readonly getnRunnables: number;
    readonly getnRunnablesWithException: number;
    readonly partitionMetadataFetchTimeMs: number;
  };
}

/** The answer of a preview: the preview object of the specification (2.3), and why it is as it is. */
export interface PreviewResponse {
  readonly tableConfig: CompleteTableConfig;
  /** Null where there is none, and none was inferred. */
  readonly schema: CompleteTableSchema | null;
  readonly tableConfigs: {
    readonly tableName: string;
    readonly schema: CompleteTableSchema | null;
    readonly offline: CompleteTableConfig | null;
    readonly realtime: CompleteTableConfig | null;
  };
  readonly sourceRows: readonly SampledRow[];
  readonly rows: readonly PreviewedRow[];
  readonly sourceFiles: readonly string[];
  readonly config: unknown;
  readonly summary: PreviewSummary;
  /** Everything that is wrong, or worth knowing; paths point into the request. */
  readonly findings: readonly Finding[];
  /** Why each inferred or proposed part is as it is; paths point into the answer. */
  readonly explanations: readonly Explanation[];
  /** What each step did to each column. */
  readonly changes: readonly Change[];
  /** The first of the rows that are not kept, and why. */
  readonly droppedRows: readonly DroppedRow[];
  /** Members of the request that the models do not have, by JSON pointer. */
  readonly unrecognizedProperties: Readonly<Record<string, unknown>>;
}
