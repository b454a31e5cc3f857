import { TimeSlice } from '@quire/core/wait';
import { type Finding, pointerTo } from '../finding.ts';
import { isDeeperThan, isRecord, nestingMax } from '../model/document.ts';
import type { SourceRow } from '../row.ts';
import type { PreviewRequest } from './preview-request.ts';
import {
  fewRows,
  type GivenRow,
  noSample,
  type Sample,
  SampleBudget,
  type SampleOptions,
} from './sample.ts';
import { sampleFiles } from './sample-files.ts';

/**
 * Takes the rows of the request or, if it has none, rows of its files, then of the files that its
 * config names, then of its stream. For a table with two halves, a finding names the half that the
 * rows were taken from.
 */
export async function takeSample(request: PreviewRequest, options: SampleOptions): Promise<Sample> {
  const { sourceRows, preview } = request;
  if (sourceRows.length === 0) {
    const ofFiles = await sampleFiles(request, options);
    if (ofFiles.rows.length > 0) return withOrigin(request, ofFiles, 'files');
    // Loaded on demand: the Kafka client takes some 20 MB, and most previews have rows or files.
    const { sampleStreams } = await import('./sample-streams.ts');
    const ofStreams = await sampleStreams(request, options);
    const { rows, realtime } = ofStreams;
    return withOrigin(
      request,
      { ...ofFiles, rows, realtime, findings: [...ofFiles.findings, ...ofStreams.findings] },
      'the stream',
    );
  }
  const rowsMax = Math.min(
    preview.config?.sampling?.max ?? Number.POSITIVE_INFINITY,
    options.limits.rowsMax,
  );
  const slice = new TimeSlice(options.clock, options.signal);
  const wanted = sourceRows.slice(0, Math.max(0, rowsMax));
  const { rows, givenRows, findings } = await readRequestRows(
    wanted,
    new SampleBudget(options.limits),
    slice,
  );
  const isCut = sourceRows.length > rowsMax;
  const message = `Of ${sourceRows.length} rows, only the first ${rowsMax} are used.`;
  const cut: Finding = { path: '/sourceRows', code: 'ROWS_CUT', severity: 'warning', message };
  const unread = (preview.sourceFiles ?? []).length > 0 ? [filesNotRead] : [];
  return {
    ...noSample,
    rows,
    givenRows,
    files: preview.sourceFiles ?? [],
    findings: [
      ...findings,
      ...(isCut ? [cut] : []),
      ...unread,
      ...fewRows(rows.length, preview.config?.sampling?.min),
    ],
  };
}

const filesNotRead: Finding = {
  path: '/sourceFiles',
  code: 'FILES_NOT_READ',
  severity: 'info',
  message: 'No file is read, because the request has rows.',
};

function withOrigin(
  { otherConfig }: PreviewRequest,
  sample: Sample,
  origin: 'files' | 'the stream',
): Sample {
  if (otherConfig === undefined || sample.rows.length === 0) return sample;
  const message = `The rows are from ${origin} of the table; both its offline and its real-time config are checked with them.`;
  const path = origin === 'files' ? '/tableConfigs/offline' : '/tableConfigs/realtime';
  return {
    ...sample,
    findings: [...sample.findings, { path, code: 'SAMPLED_HALF', severity: 'info', message }],
  };
}

/** The rows of a request, as input for the pipeline. */
interface RequestRows {
  readonly rows: readonly SourceRow[];
  readonly givenRows: readonly GivenRow[];
  readonly findings: readonly Finding[];
}

/** The maximum number of findings about single rows; further ones are only counted. */
const findingsMax = 20;

/**
 * Reads `sourceRows`; never throws. Columns of `nullValueFields` have no value, even if one is
 * given. An object without `fieldToValueMap` is read as the fields themselves.
 */
async function readRequestRows(
  rows: readonly unknown[],
  budget: SampleBudget,
  slice: TimeSlice,
): Promise<RequestRows> {
  const findings: Finding[] = [];
  const read: SourceRow[] = [];
  const givenRows: GivenRow[] = [];
  let faultCount = 0;
  const report = (index: number, message: string, code = 'SOURCE_ROW'): void => {
    faultCount += 1;
    const path = pointerTo('/sourceRows', index);
    if (faultCount <= findingsMax) findings.push({ path, code, severity: 'error', message });
  };
  for (const [index, row] of rows.entries()) {
    if (slice.isDue) await slice.yield();
    const fields = isRecord(row) ? (row['fieldToValueMap'] ?? plainFields(row)) : undefined;
    if (!isRecord(row) || !isRecord(fields)) {
      report(index, 'Expected an object with fieldToValueMap; the row is skipped.');
    } else if (isDeeperThan(fields, nestingMax)) {
      report(index, `It is nested more than ${nestingMax} levels deep; the row is skipped.`);
    } else {
      const given = {
        nullValueFields: namesIn(row['nullValueFields']),
        fieldToValueMap: fields as SourceRow,
      };
      const taken = withNulls(given);
      const refusal = budget.refuse(taken);
      if (refusal === undefined) {
        read.push(taken);
        givenRows.push(given);
      } else report(index, `${refusal.message} The row is skipped.`, refusal.code);
      if (refusal?.code === 'SIZE_LIMIT') break;
    }
  }
  if (faultCount > findingsMax) {
    const message = `${faultCount} rows are skipped; the first ${findingsMax} are listed.`;
    findings.push({ path: '/sourceRows', code: 'SOURCE_ROW', severity: 'error', message });
  }
  return { rows: read, givenRows, findings };
}

function plainFields(row: Readonly<Record<string, unknown>>): unknown {
  return Object.hasOwn(row, 'nullValueFields') || Object.hasOwn(row, 'fieldToValueMap') ? {} : row;
}

function namesIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((name) => typeof name === 'string') : [];
}

function withNulls({ nullValueFields, fieldToValueMap }: GivenRow): SourceRow {
  if (nullValueFields.length === 0) return fieldToValueMap;
  return { ...fieldToValueMap, ...Object.fromEntries(nullValueFields.map((name) => [name, null])) };
}
