import { formatBytes } from '@quire/core';
import type { TimeSlice } from '@quire/core/wait';
import type { Finding } from '../finding.ts';
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

/** What happened to the rows, as findings: those that fail, those that lose something, and none that are left. */
export function rowFindings({ rows, dropped, changes, counts, sizeLimit }: PipelineResult): readonly Finding[] {
  const findings: Finding[] = [];
  const report = (code: string, severity: Finding['severity'], message: string): void => {
    findings.push({ path: '/sourceRows', code, severity, message });
  };
  const total = counts.read + counts.unnested;
  const failure = dropped.find(({ kind }) => kind === 'failed');
  if (failure !== undefined) {
    const column = failure.column === undefined ? '' : ` Column ${failure.column}:`;
    const which = `Row ${failure.sourceIndex + 1}, step ${failure.step}.`;
    report('ROWS_FAILED', 'error', `${counts.failed} of ${total} rows cannot be taken over. ${which}${column} ${failure.reason}`);
  }
  if (counts.incomplete > 0) {
    const columns = columnsOf(changes.filter(({ kind }) => kind === 'failed'));
    report('ROWS_INCOMPLETE', 'warning', `${counts.incomplete} rows lose a value that is wrong, in ${columns}.`);
  }
  if (counts.sanitized > 0) {
    const columns = columnsOf(changes.filter(({ step, kind }) => step === 'sanitize' && kind === 'changed'));
    report('ROWS_SANITIZED', 'warning', `${counts.sanitized} rows have a value that is cut or replaced, in ${columns}.`);
  }
  if (sizeLimit !== undefined) {
    const limit = formatBytes(sizeLimit.bytesMax);
    const message = `What is made of the rows has more than ${limit}; the first ${counts.read} rows are taken through, the others left out.`;
    report('SIZE_LIMIT', 'error', message);
  }
  if (counts.read > 0 && rows.length === 0) {
    const message = `No row is left: ${counts.filtered} are filtered, and ${counts.failed} fail.`;
    report('NO_ROWS_LEFT', 'warning', message);
  }
  return findings;
}

function columnsOf(changes: readonly { readonly column?: string }[]): string {
  const names = [...new Set(changes.flatMap(({ column }) => column ?? []))];
  return names.length > 8 ? `${names.slice(0, 8).join(', ')} and ${names.length - 8} others` : names.join(', ');
}
