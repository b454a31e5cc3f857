import type { TimeSlice } from '@quire/core/wait';
import type { PipelineResult } from '../pipeline/run-pipeline.ts';
import type { SourceRow } from '../row.ts';
import type { PreviewSummary } from './preview-response.ts';
import type { Sample } from './sample.ts';

/** Counts what went in and what came out (SPECIFICATION.md section 2.3). */
export async function summarize(
  { rows, matchingFileCount, realtime }: Sample,
  { rows: made, counts }: PipelineResult,
  slice: TimeSlice,
): Promise<PreviewSummary> {
  return {
    getnSourceRows: rows.length,
    getnSourceColumns: await countColumns(rows, slice),
    getnRows: made.length,
    getnColumns: await countColumns(
      made.map(({ fields }) => fields),
      slice,
    ),
    getnFilteredRows: counts.filtered,
    getnFailedRows: counts.failed,
    getnUnnestedRows: counts.unnested,
    getnIncompleteRows: counts.incomplete,
    getnSanitizedRows: counts.sanitized,
    batch: { getnMatchingFiles: matchingFileCount },
    realtime: {
      getnPartitions: realtime.partitionCount,
      getnRunnables: realtime.runnableCount,
      getnRunnablesWithException: realtime.exceptionCount,
      partitionMetadataFetchTimeMs: realtime.metadataFetchTimeMs,
    },
  };
}

async function countColumns(rows: readonly SourceRow[], slice: TimeSlice): Promise<number> {
  const names = new Set<string>();
  for (const row of rows) {
    for (const name of Object.keys(row)) names.add(name);
    if (slice.isDue) await slice.yield();
  }
  return names.size;
}
