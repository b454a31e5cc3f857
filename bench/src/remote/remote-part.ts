import { join } from 'node:path';
import type { S3Server } from '../../../test/src/testkit/servers/s3-server.ts';
import { PageLoad } from '../http/page-load.ts';
import { pageOffsets } from '../http/page-offsets.ts';
import {
  type ComparisonEntry,
  type ComparisonReport,
  quire,
  runComparison,
} from '../measure/comparison.ts';
import { repeated } from '../measure/interleave.ts';
import type { BenchContext, Part } from '../measure/part.ts';
import { Child } from '../process/child.ts';
import { QuireServer } from '../quire/quire-server.ts';
import { pageOf, storeQuery } from '../quire/stored-query.ts';
import { missingServerNote, s3Settings, startS3 } from './bucket-servers.ts';
import type { SlowLinkOptions } from './slow-link.process.ts';

/** The approximate bandwidth of one connection to a large provider's store. */
const connectionBytesPerSecond = 80_000_000;
const pageRowCount = 10_000;
const compressions = ['none', 'zstd'] as const;

const links: Readonly<Record<string, SlowLinkOptions>> = {
  '5 ms': { latencyMs: 5, bytesPerSecond: 0 },
  '30 ms': { latencyMs: 30, bytesPerSecond: 0 },
  '5 ms, 80 MB/s': { latencyMs: 5, bytesPerSecond: connectionBytesPerSecond },
  '30 ms, 80 MB/s': { latencyMs: 30, bytesPerSecond: connectionBytesPerSecond },
};

/**
 * Measures pages from and writes to S3 over links of several kinds, with uncompressed and
 * compressed data files.
 */
export const remotePart: Part = {
  name: 'remote',
  title: 'Results in S3, over a network',
  isOnRequest: true,
  async run(context) {
    await using server = await startS3();
    if (server === undefined) return { comparisons: [], notes: [missingServerNote] };
    await using stage = await setStage(context, server);
    return {
      comparisons: [await comparePages(context, stage), await compareWrites(context, stage)],
      notes: [],
    };
  },
};

interface Broker {
  readonly level: string;
  readonly name: string;
  readonly server: QuireServer;
}

interface Stage extends AsyncDisposable {
  readonly brokers: readonly Broker[];
  readonly rowCount: number;
}

/** Starts a broker for each link and each compression, all on one S3 server. */
async function setStage(
  { isQuick, scratch, tables, progress }: BenchContext,
  s3: S3Server,
): Promise<Stage> {
  const rowCount = isQuick ? 20_000 : 500_000;
  progress('prepares a table');
  const path = await tables.parquet('mixed', rowCount);
  await using made = new AsyncDisposableStack();
  const network = made.use(
    new Child(join(import.meta.dirname, 'slow-link.process.ts'), s3.process.port),
  );
  const brokers: Broker[] = [];
  for (const [level, link] of Object.entries(links)) {
    for (const compression of compressions) {
      progress(`starts a broker: ${level}, ${compression}`);
      const port = (await network.call(link)) as number;
      const settings = {
        ...s3Settings(s3, port),
        'engine.broker.pagination.compression': compression,
        'engine.broker.pagination.cache.maxMB': '0',
      };
      const directory = join(scratch, String(brokers.length));
      const server = made.use(
        await QuireServer.start({ settings, directory, tables: { mixed: path } }),
      );
      brokers.push({ level, name: compression === 'none' ? quire : 'quire, zstd', server });
    }
  }
  const stack = made.move();
  return { brokers, rowCount, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

async function comparePages(
  { isQuick, progress }: BenchContext,
  { brokers, rowCount }: Stage,
): Promise<ComparisonReport> {
  await using loads = new AsyncDisposableStack();
  const entries: ComparisonEntry[] = [];
  for (const { level, name, server } of brokers) {
    progress(`stores a result: ${level}, ${name}`);
    const stored = await storeQuery(server, 'SELECT * FROM mixed');
    const targets = pageOffsets('random', rowCount, pageRowCount).map((offset) =>
      pageOf(stored, offset, pageRowCount),
    );
    entries.push({ level, name, contender: loads.use(new PageLoad(server.url, targets)) });
  }
  const title = `A JSON page of ${pageRowCount.toLocaleString('en')} rows at random offsets, without a cache`;
  return await runComparison(
    { id: 'remote-pages', title, unit: 'ms', factor: 'link', comparesLevels: true, entries },
    {
      count: isQuick ? 1 : 4,
      sliceMs: isQuick ? 100 : 1000,
      onSlice: (index, count) => progress(`${title}: ${Math.round((100 * index) / count)} %`),
    },
  );
}

async function compareWrites(
  { isQuick, progress }: BenchContext,
  { brokers, rowCount }: Stage,
): Promise<ComparisonReport> {
  const entries = brokers.map(({ level, name, server }): ComparisonEntry => ({
    level,
    name,
    contender: repeated(async () => {
      const startMs = performance.now();
      await storeQuery(server, 'SELECT * FROM mixed');
      return (rowCount * 1000) / (performance.now() - startMs);
    }),
  }));
  const title = `Storing ${rowCount.toLocaleString('en')} rows of mixed`;
  return runComparison(
    { id: 'remote-writes', title, unit: 'rows/s', factor: 'link', comparesLevels: true, entries },
    {
      count: isQuick ? 1 : 3,
      sliceMs: 1,
      onSlice: (index, count) => progress(`${title}: ${Math.round((100 * index) / count)} %`),
    },
  );
}
