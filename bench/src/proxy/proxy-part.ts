import { setTimeout } from 'node:timers/promises';
import { MeasuredLoad } from '../http/measured-load.ts';
import { PageLoad } from '../http/page-load.ts';
import { pageOffsets } from '../http/page-offsets.ts';
import { type ComparisonReport, quire, reportComparison } from '../measure/comparison.ts';
import { interleave } from '../measure/interleave.ts';
import type { BenchContext, Part } from '../measure/part.ts';
import { readProcessMemory, resetPeak } from '../process/process-memory.ts';
import { QuireServer } from '../quire/quire-server.ts';
import { type PageOptions, pageOf, type StoredQuery, storeQuery } from '../quire/stored-query.ts';
import { ProxyServer } from './proxy-server.ts';

const bytesPerMegabyte = 1_000_000;
const readerCount = 64;

interface Shape extends PageOptions {
  readonly level: string;
  readonly rowCount: number;
}

/**
 * From the page that costs the broker most to the one that costs it least: there the proxy must
 * forward the most bytes and calls per second.
 */
const shapes: readonly Shape[] = [
  { level: 'JSON, 10,000 rows', rowCount: 10_000, format: 'json' },
  { level: 'JSON, 100 rows', rowCount: 100, format: 'json' },
  { level: 'Arrow, 10,000 rows', rowCount: 10_000, format: 'arrow' },
];

/**
 * Measures the overhead of the proxy on the pages of a broker, all as separate processes on this
 * machine.
 */
export const proxyPart: Part = {
  name: 'proxy',
  title: 'Pages through the proxy',
  async run(context) {
    const { isQuick, scratch, profileDirectory, progress, tables } = context;
    progress('prepares a result');
    const path = await tables.parquet('mixed', isQuick ? 20_000 : 1_000_000);
    await using server = await QuireServer.start({
      settings: {},
      directory: scratch,
      tables: { mixed: path },
    });
    await using proxy = await ProxyServer.start([server.url], profileDirectory);
    const stored = await storeQuery(server, 'SELECT * FROM mixed');
    progress('waits until the proxy is idle');
    await setTimeout(isQuick ? 100 : 2000);
    const { residentBytes: restBytes } = await readProcessMemory(proxy.pid);
    await resetPeak(proxy.pid);
    const comparisons = await compareLoads(context, stored, proxy);
    return {
      comparisons: [...comparisons, await memoryOf(proxy, restBytes)],
      notes: [
        'Broker, proxy and readers share the processors of one machine, so the time of the proxy is lost to the broker.',
      ],
    };
  },
};

interface Entry {
  readonly level: string;
  readonly name: string;
  readonly load: MeasuredLoad;
}

/** Compares the same pages of the same broker, through the proxy and `direct`. */
async function compareLoads(
  { isQuick, progress }: BenchContext,
  stored: StoredQuery,
  proxy: ProxyServer,
): Promise<ComparisonReport[]> {
  const loads: PageLoad[] = [];
  const entries = shapes.flatMap(({ level, rowCount, ...options }): Entry[] => {
    const targets = pageOffsets('random', stored.rowCount, rowCount).map((offset) =>
      pageOf(stored, offset, rowCount, options),
    );
    const loadOf = (url: string): MeasuredLoad => {
      const load = new PageLoad(url, targets, readerCount);
      loads.push(load);
      return new MeasuredLoad(load, [proxy.pid, stored.server.pid]);
    };
    return [
      { level, name: quire, load: loadOf(proxy.url) },
      { level, name: 'direct', load: loadOf(stored.server.url) },
    ];
  });
  try {
    const samples = await interleave(
      entries.map(({ load }) => load),
      {
        count: isQuick ? 1 : 5,
        sliceMs: isQuick ? 50 : 2000,
        onSlice: (index, count) => progress(`64 readers, ${index + 1} of ${count}`),
      },
    );
    return [throughputOf(entries), latencyOf(entries, samples), processorTimeOf(entries)];
  } finally {
    await Promise.all(loads.map((load) => load[Symbol.asyncDispose]()));
  }
}

function throughputOf(entries: readonly Entry[]): ComparisonReport {
  return reportComparison(
    {
      id: 'proxy-throughput',
      title: 'Pages per second of 64 readers together',
      unit: 'pages/s',
      factor: 'page',
      comparesLevels: false,
    },
    entries.map(({ level, name, load }) => ({
      level,
      name,
      rounds: load.rounds.map(({ pagesPerSecond }) => [pagesPerSecond]),
    })),
  );
}

function latencyOf(
  entries: readonly Entry[],
  samples: readonly (readonly (readonly number[])[])[],
): ComparisonReport {
  return reportComparison(
    {
      id: 'proxy-latency',
      title: 'A page with 64 concurrent readers',
      unit: 'ms',
      factor: 'page',
      comparesLevels: false,
    },
    entries.map(({ level, name }, index) => ({ level, name, rounds: samples[index] ?? [] })),
  );
}

/**
 * Compares processor time, which is more meaningful than throughput if there are few processors: a
 * proxy with a processor of its own does not slow a client that needs more time than the proxy.
 */
function processorTimeOf(entries: readonly Entry[]): ComparisonReport {
  const throughProxy = entries.filter(({ name }) => name === quire);
  const timesOf = ({ load }: Entry, process: number): number[][] =>
    load.rounds.map(({ processorMsPerPage }) => [processorMsPerPage[process] ?? 0]);
  return reportComparison(
    {
      id: 'proxy-processor',
      title: 'Processor time of the proxy and of the broker for the same page',
      unit: 'ms',
      factor: 'page',
      comparesLevels: false,
    },
    throughProxy.flatMap((entry) => [
      { level: entry.level, name: quire, rounds: timesOf(entry, 0) },
      { level: entry.level, name: 'broker', rounds: timesOf(entry, 1) },
    ]),
  );
}

async function memoryOf({ pid }: ProxyServer, restBytes: number): Promise<ComparisonReport> {
  const { peakBytes } = await readProcessMemory(pid);
  const megabytes = Math.max(0, (peakBytes - restBytes) / bytesPerMegabyte);
  return reportComparison(
    {
      id: 'proxy-memory',
      title: `Peak memory of the proxy beyond its ${Math.round(restBytes / bytesPerMegabyte)} MB when idle`,
      unit: 'MB',
      factor: 'work',
      comparesLevels: false,
    },
    [{ level: '64 readers', name: quire, rounds: [[megabytes]] }],
  );
}
