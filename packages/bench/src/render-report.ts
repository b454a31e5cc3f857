import type { BenchReport, Measurement } from './run-bench.ts';

const barWidth = 30;

/**
 * The report as text: a line for each combination and server, with its figures and a bar for its
 * pages a second.
 */
export function renderReport({ servers, measurements }: BenchReport): string {
  const lines = servers.map(
    ({ url, dialect, rowCount, storeMs }, index) =>
      `${letterOf(index)}  ${url}  (${dialect}, ${rowCount.toLocaleString('en')} rows, stored in ${rounded(storeMs)} ms)`,
  );
  const letters = new Map(servers.map(({ url }, index) => [url, letterOf(index)]));
  const heads = [
    'rows',
    'format',
    'offset',
    'readers',
    '',
    'p50 ms',
    'p99 ms',
    'pages/s',
    'kB/page',
  ];
  const fastest = Math.max(...measurements.map(({ pagesPerSecond }) => pagesPerSecond));
  const rows = measurements.map((each) => [
    ...cellsOf(each, letters.get(each.url) ?? ''),
    bar(each.pagesPerSecond / fastest),
  ]);
  const widths = heads.map((head, column) =>
    Math.max(head.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, column) =>
        isText(column) ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd();
  return [
    ...lines,
    '',
    line(heads),
    ...rows.map(line),
    ...comparison(
      measurements,
      servers.map(({ url }) => url),
    ),
    '',
  ].join('\n');
}

function cellsOf(
  { pageSize, format, offset, readers, p50Ms, p99Ms, pagesPerSecond, bytesPerPage }: Measurement,
  letter: string,
): string[] {
  return [
    pageSize.toLocaleString('en'),
    format,
    offset,
    String(readers),
    letter,
    rounded(p50Ms),
    rounded(p99Ms),
    rounded(pagesPerSecond),
    rounded(bytesPerPage / 1000),
  ];
}

/** Ratios of pages per second, first server to second, one for each combination. */
function comparison(
  measurements: readonly Measurement[],
  [first, second]: readonly string[],
): readonly string[] {
  if (first === undefined || second === undefined) return [];
  const ratios = measurements.flatMap((each, index) => {
    const other = measurements[index + 1];
    return index % 2 === 0 && other !== undefined
      ? [each.pagesPerSecond / other.pagesPerSecond]
      : [];
  });
  const sorted = ratios.toSorted((left, right) => left - right);
  const [least, most] = [sorted[0] ?? 0, sorted.at(-1) ?? 0];
  return ['', `A serves ${rounded(least)} to ${rounded(most)} times as many pages a second as B.`];
}

const letterOf = (index: number): string => String.fromCodePoint(65 + index);
const isText = (column: number): boolean =>
  column === 1 || column === 2 || column === 4 || column === 9;

function bar(fraction: number): string {
  return '█'.repeat(Math.max(1, Math.round(fraction * barWidth)));
}

function rounded(value: number): string {
  return value.toLocaleString('en', { maximumSignificantDigits: 3 });
}
