import type { PipelineResult } from '../pipeline/run-pipeline.ts';
import type { SourceRow } from '../row.ts';
import type { PreviewSummary } from './preview-response.ts';
import type { Sample } from './sample.ts';

/** Counts what went in and what came out (spec 2.3). */
export function summarize({ rows, matchingFileCount }: Sample, { rows: made, counts }: PipelineResult): PreviewSummary {
  return {
    getnSourceRows: rows.length,
    getnSourceColumns: countColumns(rows),
    getnRows: made.length,
    getnColumns: countColumns(made.map(({ fields }) => fields)),
    getnFilteredRows: counts.filtered,
    getnFailedRows: counts.failed,
    getnUnnestedRows: counts.unnested,
    getnIncompleteRows: counts.incomplete,
    getnSanitizedRows: counts.sanitized,
    batch: { getnMatchingFiles: matchingFileCount },
    realtime: { getnPartitions: 0, getnRunnables: 0, getnRunnablesWithException: 0, partitionMetadataFetchTimeMs: 0 },
  };
}

function countColumns(rows: readonly SourceRow[]): number {
  const names = new Set<string>();
  for (const row of rows) for (const name of Object.keys(row)) names.add(name);
  return names.size;
}
