import { quire } from '../measure/comparison.ts';
import { type BenchReport, findComparison, findFigure } from './bench-report.ts';
import type { TextRows } from './comparison-rows.ts';
import { formatNumber, formatTimes } from './format-number.ts';

/** One budget of the design, and the check of a run against it. */
interface Goal {
  readonly what: string;
  readonly goal: string;
  readonly part: string;
  /** Undefined when the run has no figure for it. */
  read(report: BenchReport): Reading | undefined;
}

interface Reading {
  readonly measured: string;
  readonly rival: string;
  readonly isMet: boolean;
}

/**
 * Quire takes at most the `times`-th part of a rival's time; of several variants of the rival, the
 * best one counts.
 */
function atLeastTimesBetter(
  id: string,
  names: readonly string[],
  level: string | undefined,
  times: number,
): Goal['read'] {
  return (report) => {
    const rivals = names
      .map((name) => findFigure(report, id, name, level))
      .filter((figure) => figure !== undefined);
    const best = rivals.toSorted(
      (a, b) => (a.quireBetterBy?.median ?? 0) - (b.quireBetterBy?.median ?? 0),
    )[0];
    const own = findFigure(report, id, quire, level);
    if (best?.quireBetterBy === undefined || best.quireBetterBy === null || own === undefined) {
      return undefined;
    }
    return {
      measured: `${formatTimes(best.quireBetterBy.median)} (${formatNumber(own.summary.median)})`,
      rival: `${best.name}: ${formatNumber(best.summary.median)}`,
      isMet: best.quireBetterBy.median >= times,
    };
  };
}

/** Quire's figure at the last level is at most a multiple of its own at the first. */
function atMostTimesFirstLevel(id: string, times: number): Goal['read'] {
  return (report) => {
    const last = findFigure(report, id, quire);
    if (last?.ofFirstLevel === undefined || last.ofFirstLevel === null) return undefined;
    return {
      measured: formatTimes(last.ofFirstLevel.median),
      rival: 'itself',
      isMet: last.ofFirstLevel.median <= times,
    };
  };
}

/** The 99th percentile at the last level is at most a multiple of that at the first. */
function tailAtMostTimesFirstLevel(id: string, times: number): Goal['read'] {
  return (report) => {
    const tails = (findComparison(report, id)?.figures ?? []).map(
      ({ summary }) => summary.p99 ?? summary.max,
    );
    const [first, last] = [tails[0], tails.at(-1)];
    if (first === undefined || last === undefined) return undefined;
    return { measured: formatTimes(last / first), rival: 'itself', isMet: last / first <= times };
  };
}

/**
 * Quire's own figures are on the right side of a limit: that at a level, or at all levels when none
 * is named.
 */
function within(
  id: string,
  level: string | undefined,
  isMet: (value: number) => boolean,
  unit: string,
): Goal['read'] {
  return (report) => {
    const figures = (findComparison(report, id)?.figures ?? []).filter(
      (figure) => figure.name === quire && (level === undefined || figure.level === level),
    );
    if (figures.length === 0) return undefined;
    const medians = figures.map(({ summary }) => summary.median);
    return {
      measured: `${medians.map(formatNumber).join(', ')} ${unit}`,
      rival: '',
      isMet: medians.every(isMet),
    };
  };
}

/** A page takes at most a multiple of what nginx takes for the same bytes. */
function nginxGoals(limits: readonly (readonly [level: string, times: number])[]): Goal[] {
  return limits.map(([level, times]) => ({
    what: `page, compared with nginx serving the same bytes, ms: ${level}`,
    goal: `≥ 1/${times} = ${formatTimes(1 / times)}`,
    part: 'pages',
    read: atLeastTimesBetter('page-limits', ['nginx'], level, 1 / times),
  }));
}

const duckDbOnParquet = ['duckdb-parquet', 'duckdb-parquet-json'];

/** The budgets of DESIGN.md section 6, in its order. */
const goals: readonly Goal[] = [
  {
    what: 'JSON page of 10,000 rows × 10 columns, compared with DuckDB’s LIMIT/OFFSET on Parquet, ms',
    goal: '≥ 8×',
    part: 'pages',
    read: atLeastTimesBetter('page-rivals', duckDbOnParquet, undefined, 8),
  },
  {
    what: 'the same, compared with apache-arrow’s ranged reader',
    goal: '≥ 12×',
    part: 'pages',
    read: atLeastTimesBetter('page-rivals', ['apache-arrow'], undefined, 12),
  },
  {
    what: 'the same, compared with parsing the whole result of 10⁶ rows',
    goal: '≥ 300×',
    part: 'pages',
    read: atLeastTimesBetter('page-rivals', ['whole-json'], undefined, 300),
  },
  {
    what: 'the same, compared with a scrollable cursor of PostgreSQL',
    goal: '≥ 8×',
    part: 'pages',
    read: atLeastTimesBetter('page-rivals', ['postgres-cursor'], undefined, 8),
  },
  {
    what: 'the same, compared with the same bytes as a static file, ms',
    goal: '≥ 1/2 = 0.5×',
    part: 'pages',
    read: atLeastTimesBetter('page-rivals', ['static-file'], undefined, 1 / 2),
  },
  ...['1', '100'].flatMap((level): Goal[] => [
    {
      what: `JSON page of ${level} ${level === '1' ? 'row' : 'rows'}, compared with a static file, ms`,
      goal: '≥ 1/2 = 0.5×',
      part: 'pages',
      read: atLeastTimesBetter('page-size', ['static-file'], level, 1 / 2),
    },
    {
      what: 'the same, compared with apache-arrow’s ranged reader',
      goal: '≥ 1×',
      part: 'pages',
      read: atLeastTimesBetter('page-size', ['apache-arrow'], level, 1),
    },
  ]),
  ...nginxGoals([
    ['JSON, 10,000 rows', 2.2],
    ['Arrow, 10,000 rows', 1.5],
    ['JSON, 1 row', 1.6],
    ['JSON, 100 rows', 1.6],
  ]),
  {
    what: 'JSON page at the last offset, relative to the first',
    goal: '≤ 1.1×',
    part: 'pages',
    read: atMostTimesFirstLevel('page-offset', 1.1),
  },
  {
    what: 'JSON page of a result of 10⁷ rows, relative to 10⁴',
    goal: '≤ 1.2×',
    part: 'pages',
    read: atMostTimesFirstLevel('page-rows', 1.2),
  },
  {
    what: 'JSON encoding, compared with JSON.stringify of rows in memory, MB/s',
    goal: '≥ 3×',
    part: 'encode',
    read: atLeastTimesBetter('encode-table', ['JSON.stringify'], 'mixed', 3),
  },
  {
    what: 'Arrow page, compared with the same bytes as a static file, ms',
    goal: '≥ 1/1.3 = 0.77×',
    part: 'pages',
    read: atLeastTimesBetter('page-format', ['static-file'], 'arrow', 1 / 1.3),
  },
  {
    what: 'write, compared with DuckDB’s COPY TO parquet, rows/s',
    goal: '≥ 0.8×',
    part: 'write',
    read: atLeastTimesBetter('write-rate', ['copy-parquet'], 'mixed', 0.8),
  },
  {
    what: 'growth of memory: storing; reading all pages; 64 readers and a writer',
    goal: '≤ 150 MB',
    part: 'memory',
    read: within('memory-growth', undefined, (megabytes) => megabytes <= 150, 'MB'),
  },
  {
    what: 'event loop delay during a write, p99',
    goal: '≤ 20 ms',
    part: 'write',
    read: within('write-loop', 'p99', (delayMs) => delayMs <= 20, 'ms'),
  },
  {
    what: 'finding the expired ones of 100,000 results',
    goal: '≤ 500 ms',
    part: 'sweep',
    read: within('sweep-decide', '100,000 results', (elapsedMs) => elapsedMs <= 500, 'ms'),
  },
  {
    what: 'deleting expired results',
    goal: '≥ 5,000 results/s',
    part: 'sweep',
    read: within('sweep-delete', undefined, (perSecond) => perSecond >= 5000, 'results/s'),
  },
  {
    what: 'p99 of pages during a sweep, relative to an idle server',
    goal: '≤ 1.5×',
    part: 'sweep',
    read: tailAtMostTimesFirstLevel('sweep-pages', 1.5),
  },
  {
    what: 'pages of 10,000 rows for 64 readers through the proxy, relative to direct calls',
    goal: '≥ 0.8×',
    part: 'proxy',
    read: atLeastTimesBetter('proxy-throughput', ['direct'], 'JSON, 10,000 rows', 0.8),
  },
  {
    what: '200 MB by DoGet, compared with Arrow over HTTP, processor time of the server',
    goal: '≥ 1/1.3 = 0.77×',
    part: 'flight',
    read: atLeastTimesBetter('flight-processor', ['Arrow over HTTP'], 'DoGet', 1 / 1.3),
  },
  {
    what: 'first batch of SELECT * of 3·10⁶ rows by Flight',
    goal: '≤ 100 ms',
    part: 'flight',
    read: within('flight-first-batch', undefined, (elapsedMs) => elapsedMs <= 100, 'ms'),
  },
  {
    what: '10⁶ rows of a query into pandas by ADBC, compared with pinotdb',
    goal: '≥ 5×',
    part: 'flight',
    read: atLeastTimesBetter('flight-pandas', ['pinotdb'], undefined, 5),
  },
  ...(
    [
      ['file stream', 250_000],
      ['kafka', 120_000],
    ] as const
  ).map(([level, perSecondMin]): Goal => {
    return {
      what: `JSON messages of a ${level === 'kafka' ? 'Kafka topic' : level} into segments, per second of processor time`,
      goal: `≥ ${perSecondMin.toLocaleString('en')}/s`,
      part: 'ingest',
      read: within('ingest-cpu', level, (perSecond) => perSecond >= perSecondMin, 'rows/s'),
    };
  }),
  {
    what: 'preview of 10,000 rows × 50 columns with 20 transforms',
    goal: '≤ 2,000 ms',
    part: 'preview',
    read: within('preview-time', undefined, (elapsedMs) => elapsedMs <= 2000, 'ms'),
  },
  {
    what: 'event loop delay during a preview, p99',
    goal: '≤ 20 ms',
    part: 'preview',
    read: within('preview-loop', 'p99', (delayMs) => delayMs <= 20, 'ms'),
  },
  {
    what: 'a page of 10,000 rows on Apache Pinot, from the middle of 10⁶, compared with its own cursors, ms',
    goal: '≥ 50×',
    part: 'pinot',
    read: atLeastTimesBetter('pinot-pages', ['Apache Pinot cursors'], '1,000,000 rows, middle', 50),
  },
  {
    what: 'storing 10⁶ rows from Apache Pinot, compared with the plain query, ms',
    goal: '≥ 1/1.1 = 0.91×',
    part: 'pinot',
    read: atLeastTimesBetter('pinot-store', ['plain query'], '1,000,000 rows', 1 / 1.1),
  },
];

/** Formats the limit of each budget next to the measurement. */
export function goalRows(report: BenchReport): TextRows {
  const rows = goals.map((each) => {
    const { what, goal, part } = each;
    const reading = each.read(report);
    const isMet = reading === undefined ? 'not measured' : reading.isMet ? 'yes' : 'no';
    return [
      what,
      `npm run bench -- ${part}`,
      goal,
      reading?.measured ?? '',
      reading?.rival ?? '',
      isMet,
    ];
  });
  return { heads: ['what', 'command', 'goal', 'measured', 'rival', 'met'], firstFigure: 2, rows };
}
