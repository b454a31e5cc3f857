import { isQuireError } from '@quire/core';
import { yieldToEventLoop } from '@quire/core/wait';
import type { Finding } from '../finding.ts';
import type { SourceRow } from '../row.ts';
import {
  ByteBudget,
  type FileFinder,
  type SourceFile,
  SourceProblem,
} from '../sources/source-file.ts';
import { type CsvOptions, csvOptionsOf, textOf } from '../sources/formats/csv-options.ts';
import {
  type FileFormat,
  formatNamed,
  formatOfConfig,
  openRows,
} from '../sources/formats/read-rows.ts';
import { rowSkipped } from '../sources/formats/row-reading.ts';
import { compileRegex, parseGlob } from '../sources/glob.ts';
import type { PreviewRequest } from './preview-request.ts';
import { fewRows, noSample, type Sample, SampleBudget, type SampleOptions } from './sample.ts';

/** A matching file, and the request that it matches. */
interface Match {
  readonly file: SourceFile;
  readonly request: SourceRequest;
}

/** The maximum number of row findings of one kind that are listed individually. */
const rowFindingsMax = 5;

/**
 * Samples the files of a request: some of the matching ones, spread over all of them, and as many
 * rows of each as needed to reach the maximum. A file that cannot be read is a finding, and the
 * others are read nevertheless.
 */
export async function sampleFiles(
  request: PreviewRequest,
  options: SampleOptions,
): Promise<Sample> {
  const { requests, findings: requestFindings } = sourceRequestsOf(request, options.batchConfig);
  const findings: Finding[] = [...requestFindings];
  if (requests.length === 0) return { ...noSample, findings };
  const matches = await findMatches(requests, options, findings);
  const { sampling, previewFiles } = request.preview.config ?? {};
  const rowsMax = Math.max(0, Math.min(sampling?.max ?? 100, options.limits.rowsMax));
  const fileCount = Math.max(
    1,
    Math.min(previewFiles?.nfilesToFetch ?? 10, options.limits.filesMax, rowsMax),
  );
  const chosen = spread(matches, fileCount);
  const sample = {
    ...noSample,
    files: chosen.map(({ file }) => file.uri),
    matchingFileCount: matches.length,
  };
  if (previewFiles?.previewFilesOnly === true) {
    return {
      ...sample,
      files: matches.slice(0, filesListedMax).map(({ file }) => file.uri),
      findings,
    };
  }
  const { rows, formats, decimals } = await readChosen(chosen, rowsMax, options, findings);
  if (matches.length > 0) findings.push(...fewRows(rows.length, sampling?.min));
  return {
    ...sample,
    rows,
    findings,
    decimals,
    hasTypedText: formats.some((format) => format === 'csv' || format === 'tsv'),
  };
}

/** The maximum number of files in the response when they are only listed. */
const filesListedMax = 10_000;

async function findMatches(
  requests: readonly SourceRequest[],
  { finder, signal }: SampleOptions,
  findings: Finding[],
): Promise<readonly Match[]> {
  const found = new Map<string, Match>();
  for (const request of requests) {
    const { path } = request;
    try {
      const { files, problem } = await findFiles(finder, request.pattern, signal);
      const included = files.filter(({ uri }) => request.includes(uri));
      for (const file of included) if (!found.has(file.uri)) found.set(file.uri, { file, request });
      if (problem !== undefined) findings.push({ path, ...problem, severity: 'error' });
      else if (included.length === 0) {
        findings.push({
          path,
          code: 'NO_FILES',
          severity: 'warning',
          message: `No file matches ‘${request.pattern.slice(0, 200)}’.`,
        });
      }
    } catch (error) {
      findings.push({ path, severity: 'error', ...describe(error) });
    }
  }
  return [...found.values()];
}

async function findFiles(finder: FileFinder | undefined, pattern: string, signal: AbortSignal) {
  if (finder !== undefined) return finder.find(pattern, signal);
  return {
    files: [],
    problem: {
      code: 'SOURCE_NOT_ALLOWED',
      message: 'Previews of this caller may not read files; give sourceRows.',
    },
  };
}

/** Returns `count` elements that are evenly spaced, including the first and the last. */
function spread<Element>(elements: readonly Element[], count: number): readonly Element[] {
  if (elements.length <= count) return elements;
  const step = count === 1 ? 0 : (elements.length - 1) / (count - 1);
  return Array.from({ length: count }, (_, index) => elements[Math.round(index * step)]).filter(
    (each) => each !== undefined,
  );
}

/**
 * Reads small files first, so that larger ones can provide the missing rows. Rows are returned in
 * the order of files.
 */
async function readChosen(
  chosen: readonly Match[],
  rowsMax: number,
  options: SampleOptions,
  findings: Finding[],
) {
  const budget = new ByteBudget(options.limits.bytesMax);
  const sampleBudget = new SampleBudget(options.limits);
  const byFile = new Map<Match, readonly SourceRow[]>();
  const formats: FileFormat[] = [];
  const decimals = new Set<string>();
  let [rowsLeft, filesLeft] = [rowsMax, chosen.length];
  for (const match of chosen.toSorted(
    (left, right) => left.file.sizeBytes - right.file.sizeBytes,
  )) {
    const rows: SourceRow[] = [];
    byFile.set(match, rows);
    const reading = { ...options, budget, sampleBudget, rowsMax: Math.ceil(rowsLeft / filesLeft) };
    const isFull = await readInto(rows, match, reading, {
      findings,
      onFormat: (format) => formats.push(format),
      onDecimals: (names) => {
        for (const name of names) decimals.add(name);
      },
    });
    if (isFull) break;
    rowsLeft -= rows.length;
    filesLeft -= 1;
    if (rowsLeft <= 0 || budget.left === 0) break;
  }
  return { rows: chosen.flatMap((match) => byFile.get(match) ?? []), formats, decimals };
}

interface FileReading extends SampleOptions {
  readonly budget: ByteBudget;
  readonly sampleBudget: SampleBudget;
  readonly rowsMax: number;
}

/** The findings, the format and the decimals of a file. */
interface FoundInFile {
  readonly findings: Finding[];
  readonly onFormat: (format: FileFormat) => void;
  readonly onDecimals: (names: readonly string[]) => void;
}

/** Returns true if the sample cannot take another row of any file. */
async function readInto(
  rows: SourceRow[],
  { file, request }: Match,
  options: FileReading,
  { findings, onFormat, onDecimals }: FoundInFile,
): Promise<boolean> {
  const { budget, sampleBudget, rowsMax, signal, limits } = options;
  const counts = new Map<string, number>();
  const onProblem = (code: string, reason: string, effect: string): void => {
    const count = (counts.get(code) ?? 0) + 1;
    counts.set(code, count);
    if (count <= rowFindingsMax) {
      const message = `${reason} ${effect}`;
      findings.push({ path: request.path, code, severity: 'warning', message });
    }
  };
  try {
    const { rowBytesMax, digitsMax } = limits;
    const reading = {
      file,
      rowsMax,
      rowBytesMax,
      digitsMax,
      budget,
      signal,
      csv: request.csv,
      onProblem,
      onDecimals,
    };
    const opened = await openRows(reading, request.format);
    onFormat(opened.format);
    let number = 0;
    for await (const row of opened.rows) {
      number += 1;
      if (number % 200 === 0) await yieldToEventLoop();
      const refusal = sampleBudget.refuse(row);
      if (refusal === undefined) rows.push(row);
      else onProblem(refusal.code, `Row ${number} of ${file.uri}: ${refusal.message}`, rowSkipped);
      if (refusal?.code === 'SIZE_LIMIT') return true;
    }
    return false;
  } catch (error) {
    findings.push({ path: request.path, severity: 'error', ...describe(error) });
    return false;
  } finally {
    for (const [code, count] of counts) {
      const message = `${count} rows of ${file.uri}; the first ${rowFindingsMax} are listed.`;
      if (count > rowFindingsMax) {
        findings.push({ path: request.path, code, severity: 'warning', message });
      }
    }
  }
}

/**
 * Converts the failure of a file to a finding. Aborts by the caller and unexpected errors are
 * thrown.
 */
function describe(error: unknown): { readonly code: string; readonly message: string } {
  if (error instanceof SourceProblem) return { code: error.code, message: error.message };
  if (isQuireError(error, 'QUERY_TIMED_OUT')) return { code: 'TIME_LIMIT', message: error.message };
  if (!isQuireError(error) || error.kind === 'aborted' || error.kind === 'internal') throw error;
  return { code: error.code, message: error.message };
}

/** A request for files to sample. */
interface SourceRequest {
  /** JSON pointer to the request for them. */
  readonly path: string;
  readonly pattern: string;
  /** Reports whether a file that matches the pattern is included. */
  readonly includes: (uri: string) => boolean;
  readonly format: FileFormat | undefined;
  readonly csv: CsvOptions;
}

/**
 * Returns the files that a request names: those of `sourceFiles` or, if there are none, those of
 * the config's batch sources.
 *
 * @throws INVALID_PARAMETER when the batch config of the call has an unknown format
 */
function sourceRequestsOf(
  { preview, config }: PreviewRequest,
  batchConfig: BatchConfig = {},
): {
  readonly requests: readonly SourceRequest[];
  readonly findings: readonly Finding[];
} {
  const patterns = preview.sourceFiles ?? [];
  if (patterns.length > 0) {
    const reading = { format: formatOfConfig(batchConfig), csv: csvOptionsOf(batchConfig) };
    const requests = patterns.map((pattern, index) => {
      return { path: `/sourceFiles/${index}`, pattern, includes: () => true, ...reading };
    });
    return { requests, findings: [] };
  }
  const maps = config?.value.ingestionConfig?.batchIngestionConfig?.batchConfigMaps ?? [];
  const read = maps.map((map, index) => {
    return readBatchConfig(
      map,
      `${config?.path ?? ''}/ingestionConfig/batchIngestionConfig/batchConfigMaps/${index}`,
    );
  });
  return {
    requests: read.flatMap(({ request }) => request ?? []),
    findings: read.flatMap(({ findings }) => findings),
  };
}

type BatchConfig = Readonly<Record<string, unknown>>;

/** Returns how a batch config has files read. */
function readingOf(
  map: BatchConfig,
  path: string,
): Pick<SourceRequest, 'format' | 'csv'> & { readonly findings: readonly Finding[] } {
  const name = textOf(map, 'inputFormat');
  const format = name === undefined ? undefined : formatNamed(name);
  const csv = csvOptionsOf(map);
  if (name === undefined || format !== undefined) return { format, csv, findings: [] };
  const message = `‘${name.slice(0, 40)}’ is not a supported format; the format is detected from the first bytes of each file.`;
  return { format, csv, findings: [{ path, code: 'BATCH_FORMAT', severity: 'warning', message }] };
}

function readBatchConfig(
  map: BatchConfig,
  path: string,
): { readonly request?: SourceRequest; readonly findings: readonly Finding[] } {
  const findings: Finding[] = [];
  const report = (
    member: string,
    code: string,
    severity: Finding['severity'],
    message: string,
  ): void => {
    findings.push({ path: `${path}/${member}`, code, severity, message });
  };
  const directory = textOf(map, 'inputDirURI');
  if (directory === undefined) {
    report(
      'inputDirURI',
      'BATCH_SOURCE',
      'info',
      'It has no inputDirURI, so none of its files is sampled.',
    );
    return { findings };
  }
  const base = directory.replace(/\/+$/, '');
  const matcherOf = (member: string, otherwise: boolean): ((uri: string) => boolean) => {
    const pattern = textOf(map, member);
    const matches = pattern === undefined ? () => otherwise : readFilePattern(pattern);
    if (matches !== undefined) return matches;
    report(
      member,
      'BATCH_PATTERN',
      'error',
      `‘${pattern?.slice(0, 200)}’ is not a pattern: expected glob:… or regex:….`,
    );
    return () => false;
  };
  const isIncluded = matcherOf('includeFileNamePattern', true);
  const isExcluded = matcherOf('excludeFileNamePattern', false);
  const { findings: unread, ...reading } = readingOf(map, `${path}/inputFormat`);
  return {
    request: {
      path,
      pattern: `${base}/**`,
      includes: (uri) => isIncluded(uri) && !isExcluded(uri),
      ...reading,
    },
    findings: [...findings, ...unread],
  };
}

/**
 * Parses a pattern like those of Java's path matchers, `glob:**\/*.csv` or `regex:.*\.csv`, for the
 * path without its scheme.
 */
function readFilePattern(text: string): ((uri: string) => boolean) | undefined {
  const [, syntax = 'glob', pattern = ''] = /^(?:(glob|regex):)?(.*)$/s.exec(text) ?? [];
  const glob = syntax === 'glob' ? parseGlob(pattern) : undefined;
  const matches =
    syntax === 'regex' ? compileRegex(pattern) : glob && ((path: string) => glob.matches(path));
  // A pattern without a slash applies to the file name alone.
  return matches === undefined
    ? undefined
    : (uri) => {
        const path = uri.replace(/^[a-z0-9+.-]+:\/\//i, '');
        return matches(path) || matches(path.slice(path.lastIndexOf('/') + 1));
      };
}
