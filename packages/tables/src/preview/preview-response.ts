import { formatBytes, QuireError, writeLosslessJson } from '@quire/core';
import { type TimeSlice, yieldToEventLoop } from '@quire/core/wait';
import type { CompleteTableConfig } from '../config/table-config.ts';
import type { Finding } from '../finding.ts';
import type { Explanation } from '../infer/schema-inference.ts';
import type { Change } from '../pipeline/journal.ts';
import { isSameList } from '../pipeline/row-maker.ts';
import type { DroppedRow, PipelineResult } from '../pipeline/run-pipeline.ts';
import type { SourceRow } from '../row.ts';
import type { CompleteTableSchema } from '../config/table-schema.ts';
import { previewLimits, type Sample } from './sample.ts';

/** A source row. */
export interface SampledRow {
  readonly nullValueFields: readonly string[];
  readonly fieldToValueMap: SourceRow;
}

/** A row as the table would store it, and its changes in the pipeline. */
export interface PreviewedRow extends SampledRow {
  /** The index of its row in `sourceRows`, from 0. */
  readonly sourceIndex: number;
  /** True if a value became null because it was wrong. */
  readonly incomplete: boolean;
  /** True if a value was truncated or replaced because it was too long. */
  readonly sanitized: boolean;
}

/** The counts of a preview, named as in the specification (2.3), and five more. */
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

/**
 * The response of a preview: the preview object of the specification (2.3), and the reasons for its
 * parts.
 */
export interface PreviewResponse {
  readonly tableConfig: CompleteTableConfig;
  /** Null if there is none, and none was inferred. */
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
  /** All errors, warnings and hints; paths point into the request. */
  readonly findings: readonly Finding[];
  /** The reason for each inferred or proposed part; paths point into the response. */
  readonly explanations: readonly Explanation[];
  /** The changes of each step by column. */
  readonly changes: readonly Change[];
  /** The first of the dropped rows, with the reasons. */
  readonly droppedRows: readonly DroppedRow[];
  /** Members of the request that the models do not have, by JSON pointer. */
  readonly unrecognizedProperties: Readonly<Record<string, unknown>>;
}

/** The size at which a piece is yielded. */
const pieceBytes = 64 * 1024;
/**
 * Reserved space for the finding that rows are missing, and for the member names around the rows.
 */
const reservedBytes = 1024;

/**
 * Writes a preview as JSON in pieces, and yields to other work in between: integers with all their
 * digits, bytes as hex, NaN and the infinities as texts. Rows that would exceed `bytesMax` are
 * omitted, which a finding reports. Source rows take at most half of the space, rows of the table
 * the rest.
 *
 * @param options.bytesMax maximum size of the response; 32 MiB by default
 * @throws INVALID_BODY immediately, when the preview exceeds it without any row
 */
export function writePreview(
  preview: PreviewResponse,
  { bytesMax = previewLimits.answerBytesMax } = {},
): AsyncGenerator<string, void, undefined> {
  const { sourceRows: _sourceRows, rows: _rows, ...rest } = preview;
  const end = `,${writeLosslessJson(rest).slice(1)}`;
  const endBytes = Buffer.byteLength(end) + reservedBytes;
  if (endBytes > bytesMax) {
    throw new QuireError(
      'INVALID_BODY',
      `The preview has ${formatBytes(endBytes)} without its rows; at most ${formatBytes(bytesMax)} are allowed. Send a smaller config and schema.`,
    );
  }
  return writeAll(preview, end, bytesMax, bytesMax - endBytes);
}

async function* writeAll(
  { sourceRows, rows, ...rest }: PreviewResponse,
  end: string,
  bytesMax: number,
  limitBytes: number,
): AsyncGenerator<string, void, undefined> {
  // The rows are written first, so that the rest can be written like any other value, with its own
  // closing brace.
  yield '{"sourceRows":';
  const source = yield* writeRows(sourceRows, limitBytes / 2);
  yield ',"rows":';
  const made = yield* writeRows(rows, limitBytes - source.bytes);
  if (source.count === sourceRows.length && made.count === rows.length) return yield end;
  const message =
    `The response would exceed ${formatBytes(bytesMax)}: it contains ` +
    `${source.count} of ${sourceRows.length} source rows and ${made.count} of ${rows.length} table rows.`;
  const cut: Finding = { path: '', code: 'ANSWER_CUT', severity: 'warning', message };
  yield `,${writeLosslessJson({ ...rest, findings: [...rest.findings, cut] }).slice(1)}`;
}

/** Writes as many rows as fit; returns their number and size. */
async function* writeRows(
  rows: readonly object[],
  limitBytes: number,
): AsyncGenerator<string, { readonly count: number; readonly bytes: number }, undefined> {
  let piece = '[';
  let bytes = 0;
  let count = 0;
  for (const row of rows) {
    const text = `${count === 0 ? '' : ','}${writeLosslessJson(row)}`;
    const textBytes = Buffer.byteLength(text);
    if (bytes + textBytes > limitBytes) break;
    bytes += textBytes;
    count += 1;
    piece += text;
    if (piece.length < pieceBytes) continue;
    yield piece;
    piece = '';
    await yieldToEventLoop();
  }
  yield `${piece}]`;
  return { count, bytes };
}

/** Returns the counts of input and output (SPECIFICATION.md section 2.3). */
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
  let last: readonly string[] = [];
  for (const row of rows) {
    const those = Object.keys(row);
    // Most rows have the same fields as the previous one.
    if (!isSameList(those, last)) for (const name of those) names.add(name);
    last = those;
    if (slice.isDue) await slice.yield();
  }
  return names.size;
}

/**
 * Returns findings about the rows: rows that fail, rows that lose a value, and a result without
 * rows.
 */
export function rowFindings({
  rows,
  dropped,
  changes,
  counts,
  sizeLimit,
}: PipelineResult): readonly Finding[] {
  const findings: Finding[] = [];
  const report = (code: string, severity: Finding['severity'], message: string): void => {
    findings.push({ path: '/sourceRows', code, severity, message });
  };
  const total = counts.read + counts.unnested;
  const failure = dropped.find(({ kind }) => kind === 'failed');
  if (failure !== undefined) {
    const column = failure.column === undefined ? '' : ` Column ${failure.column}:`;
    const which = `Row ${failure.sourceIndex + 1}, step ${failure.step}.`;
    report(
      'ROWS_FAILED',
      'error',
      `${counts.failed} of ${total} rows cannot be ingested. ${which}${column} ${failure.reason}`,
    );
  }
  if (counts.incomplete > 0) {
    const columns = columnsOf(changes.filter(({ kind }) => kind === 'failed'));
    report(
      'ROWS_INCOMPLETE',
      'warning',
      `${counts.incomplete} rows lose an invalid value, in ${columns}.`,
    );
  }
  if (counts.sanitized > 0) {
    const columns = columnsOf(
      changes.filter(({ step, kind }) => step === 'sanitize' && kind === 'changed'),
    );
    report(
      'ROWS_SANITIZED',
      'warning',
      `${counts.sanitized} rows have a value that is truncated or replaced, in ${columns}.`,
    );
  }
  if (sizeLimit !== undefined) {
    const limit = formatBytes(sizeLimit.bytesMax);
    const message = `The values computed from the rows exceed ${limit}; the first ${counts.read} rows are processed, the others are skipped.`;
    report('SIZE_LIMIT', 'error', message);
  }
  if (counts.read > 0 && rows.length === 0) {
    const message = `No rows remain: ${counts.filtered} were filtered out, and ${counts.failed} failed.`;
    report('NO_ROWS_LEFT', 'warning', message);
  }
  return findings;
}

function columnsOf(changes: readonly { readonly column?: string }[]): string {
  const names = [...new Set(changes.flatMap(({ column }) => column ?? []))];
  return names.length > 8
    ? `${names.slice(0, 8).join(', ')} and ${names.length - 8} others`
    : names.join(', ');
}
