import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { PageLoad } from '../http/page-load.ts';
import { pageOffsets } from '../http/page-offsets.ts';
import type { PageTarget } from '../http/page-reader.ts';
import { quire, reportComparison } from '../measure/comparison.ts';
import { interleave } from '../measure/interleave.ts';
import type { BenchContext, Part } from '../measure/part.ts';
import { writePages } from '../processor/write-pages.ts';
import { QuireServer } from '../quire/quire-server.ts';
import { type PageOptions, pageOf, storeQuery } from '../quire/stored-query.ts';
import { RivalServer } from '../rivals/rival-server.ts';
import { CoreLoad } from './core-load.ts';
import { describeModel } from './throughput-model.ts';

interface Shape extends PageOptions {
  readonly level: string;
}

const shapes: readonly Shape[] = [
  { level: 'JSON' },
  { level: 'Arrow', format: 'arrow' },
  { level: 'JSON, zstd', encoding: 'zstd' },
  { level: 'Arrow, zstd', format: 'arrow', encoding: 'zstd' },
];

const pageRowCount = 10_000;
const readerCount = 64;
const oneThread = 'one thread';

interface Entry {
  readonly level: string;
  readonly name: string;
  readonly load: CoreLoad;
}

/**
 * The processor time that pages take of the main thread and of all threads, with and without
 * threads that encode, and the pages that 64 readers receive.
 */
export const coresPart: Part = {
  name: 'cores',
  title: 'Pages on all cores',
  isOnRequest: true,
  async run(context) {
    const { isQuick, scratch, tables, profileDirectory, progress } = context;
    progress('prepares a result');
    const path = await tables.parquet('mixed', isQuick ? 20_000 : 1_000_000);
    await using resources = new AsyncDisposableStack();
    const start = async (name: string, settings: Readonly<Record<string, string>>) =>
      storeQuery(
        resources.use(
          await QuireServer.start({
            settings,
            directory: join(scratch, name),
            tables: { mixed: path },
            profileDirectory,
          }),
        ),
        'SELECT * FROM mixed',
      );
    const servers = [
      { name: quire, stored: await start('threads', {}) },
      { name: oneThread, stored: await start('one', { 'engine.broker.page.threads': '0' }) },
    ];
    const files = resources.use(await RivalServer.start('static-file'));
    const single: Entry[] = [];
    const many: Entry[] = [];
    const use = (url: string, pid: number, targets: readonly PageTarget[], readers: number) =>
      new CoreLoad(resources.use(new PageLoad(url, targets, readers)), pid);
    for (const { level, ...options } of shapes) {
      const rowCount = servers[0]?.stored.rowCount ?? 0;
      const offsets = pageOffsets('random', rowCount, pageRowCount);
      for (const { name, stored } of servers) {
        const targets = offsets.map((offset) => pageOf(stored, offset, pageRowCount, options));
        const { url, pid } = stored.server;
        if (name === quire) {
          const directory = join(scratch, `static-${single.length}`);
          await writePages(stored, directory, offsets, targets);
          const ofFiles = offsets.map((offset) => files.pageOf(directory, offset, pageRowCount));
          const add = (entries: Entry[], readers: number): void => {
            const load = use(files.url, files.pid, ofFiles, readers);
            entries.push({ level, name: 'static-file', load });
          };
          add(single, 1);
          add(many, readerCount);
        }
        single.push({ level, name, load: use(url, pid, targets, 1) });
        many.push({ level, name, load: use(url, pid, targets, readerCount) });
      }
    }
    await measure(context, 'one reader', single);
    await measure(context, `${readerCount} readers`, many);
    return {
      comparisons: [
        report(
          'cores-main',
          'Processor time of the main thread for a page, one reader',
          single,
          'mainMs',
        ),
        report(
          'cores-all',
          'Processor time of all threads for a page, one reader',
          single,
          'allMs',
        ),
        report(
          'cores-main-many',
          `The same of the main thread for ${readerCount} readers`,
          many,
          'mainMs',
        ),
        report(
          'cores-all-many',
          `The same of all threads for ${readerCount} readers`,
          many,
          'allMs',
        ),
        report('cores-throughput', `Pages that ${readerCount} readers get`, many, 'pagesPerSecond'),
        report(
          'cores-throughput-left',
          `The same, of the processor time that the readers leave`,
          many,
          'pagesPerSecondLeft',
        ),
      ],
      notes: [
        'static-file: all of its threads, also where it says main thread.',
        `Of the time that the readers leave: pages × ${availableParallelism()} cores × time, divided by what the process of the readers did not take of it.`,
        ...single
          .filter(({ name }) => name === quire)
          .map(({ level, load }) => describeModel(level, load.rounds)),
      ],
    };
  },
};

async function measure(
  { isQuick, progress }: BenchContext,
  what: string,
  entries: readonly Entry[],
): Promise<void> {
  await interleave(
    entries.map(({ load }) => load),
    {
      count: isQuick ? 1 : 5,
      sliceMs: isQuick ? 50 : 1500,
      onSlice: (index, count) => progress(`${what}: ${index + 1} of ${count}`),
    },
  );
}

function report(
  id: string,
  title: string,
  entries: readonly Entry[],
  member: 'mainMs' | 'allMs' | 'pagesPerSecond' | 'pagesPerSecondLeft',
) {
  const unit = member === 'mainMs' || member === 'allMs' ? 'ms' : 'pages/s';
  return reportComparison(
    { id, title, unit, factor: 'page', comparesLevels: false },
    entries.map(({ level, name, load }) => ({
      level,
      name,
      rounds: load.rounds.map((slice) => [
        // A rival's main thread waits for other threads that read for it.
        name === 'static-file' && member === 'mainMs' ? slice.allMs : slice[member],
      ]),
    })),
  );
}
