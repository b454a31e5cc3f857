import type { Finding } from '../finding.ts';
import { csvOptionsOf, textOf } from '../sources/csv-options.ts';
import { compileRegex, parseGlob } from '../sources/glob.ts';
import { type FileFormat, formatNamed } from '../sources/formats/file-format.ts';
import type { CsvOptions } from '../sources/formats/row-reading.ts';
import type { PreviewRequest } from './preview-request.ts';

/** Files that somebody wants sampled. */
export interface SourceRequest {
  /** JSON pointer to where it is said. */
  readonly path: string;
  readonly pattern: string;
  /** Which of the files that match the pattern count. */
  readonly includes: (uri: string) => boolean;
  readonly format: FileFormat | undefined;
  readonly csv: CsvOptions;
}

/** The files that a request names: those of `sourceFiles`, and where there are none, those of the config's batch sources. */
export function sourceRequestsOf({ preview, config }: PreviewRequest): {
  readonly requests: readonly SourceRequest[];
  readonly findings: readonly Finding[];
} {
  const patterns = preview.sourceFiles ?? [];
  if (patterns.length > 0) {
    const requests = patterns.map((pattern, index) => {
      return { path: `/sourceFiles/${index}`, pattern, includes: () => true, format: undefined, csv: {} };
    });
    return { requests, findings: [] };
  }
  const maps = config?.value.ingestionConfig?.batchIngestionConfig?.batchConfigMaps ?? [];
  const read = maps.map((map, index) => {
    return readBatchConfig(map, `${config?.path ?? ''}/ingestionConfig/batchIngestionConfig/batchConfigMaps/${index}`);
  });
  return { requests: read.flatMap(({ request }) => request ?? []), findings: read.flatMap(({ findings }) => findings) };
}

type BatchConfig = Readonly<Record<string, unknown>>;

function readBatchConfig(
  map: BatchConfig,
  path: string,
): { readonly request?: SourceRequest; readonly findings: readonly Finding[] } {
  const findings: Finding[] = [];
  const report = (member: string, code: string, severity: Finding['severity'], message: string): void => {
    findings.push({ path: `${path}/${member}`, code, severity, message });
  };
  const directory = textOf(map, 'inputDirURI');
  if (directory === undefined) {
    report('inputDirURI', 'BATCH_SOURCE', 'info', 'It has no inputDirURI, so none of its files is sampled.');
    return { findings };
  }
  const base = directory.replace(/\/+$/, '');
  const matcherOf = (member: string, otherwise: boolean): ((uri: string) => boolean) => {
    const pattern = textOf(map, member);
    const matches = pattern === undefined ? () => otherwise : readFilePattern(pattern);
    if (matches !== undefined) return matches;
    report(member, 'BATCH_PATTERN', 'error', `‘${pattern?.slice(0, 200)}’ is not a pattern: expected glob:… or regex:….`);
    return () => false;
  };
  const isIncluded = matcherOf('includeFileNamePattern', true);
  const isExcluded = matcherOf('excludeFileNamePattern', false);
  const formatName = textOf(map, 'inputFormat');
  const format = formatName === undefined ? undefined : formatNamed(formatName);
  if (formatName !== undefined && format === undefined) {
    const message = `‘${formatName.slice(0, 40)}’ is not a supported format; the format is detected from the first bytes of each file.`;
    report('inputFormat', 'BATCH_FORMAT', 'warning', message);
  }
  const csv = csvOptionsOf(map);
  return {
    request: { path, pattern: `${base}/**`, includes: (uri) => isIncluded(uri) && !isExcluded(uri), format, csv },
    findings,
  };
}

/** Matches as Java's path matchers do: `glob:**\/*.csv` or `regex:.*\.csv` over the path, without its scheme. */
function readFilePattern(text: string): ((uri: string) => boolean) | undefined {
  const [, syntax = 'glob', pattern = ''] = /^(?:(glob|regex):)?(.*)$/s.exec(text) ?? [];
  const glob = syntax === 'glob' ? parseGlob(pattern) : undefined;
  const matches = syntax === 'regex' ? compileRegex(pattern) : glob && ((path: string) => glob.matches(path));
  // A pattern without a slash is meant for the name alone.
  return matches === undefined
    ? undefined
    : (uri) => {
        const path = uri.replace(/^[a-z0-9+.-]+:\/\//i, '');
        return matches(path) || matches(path.slice(path.lastIndexOf('/') + 1));
      };
}
