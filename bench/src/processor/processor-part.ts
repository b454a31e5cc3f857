import { join } from 'node:path';
import { MeasuredLoad } from '../http/measured-load.ts';
import { PageLoad } from '../http/page-load.ts';
import { pageOffsets } from '../http/page-offsets.ts';
import { quire, reportComparison } from '../measure/comparison.ts';
import { interleave } from '../measure/interleave.ts';
import type { BenchContext, Part } from '../measure/part.ts';
import { QuireServer } from '../quire/quire-server.ts';
import { type PageOptions, pageOf, storeQuery } from '../quire/stored-query.ts';
import { RivalServer } from '../rivals/rival-server.ts';
import { writePages } from './write-pages.ts';

interface Shape extends PageOptions {
  readonly level: string;
  readonly rowCount: number;
}

const shapes: readonly Shape[] = [
  { level: 'JSON, 1 row', rowCount: 1 },
  { level: 'JSON, 100 rows', rowCount: 100 },
  { level: 'JSON, 10,000 rows', rowCount: 10_000 },
  { level: 'Arrow, 10,000 rows', rowCount: 10_000, format: 'arrow' },
];

interface Entry {
  readonly level: string;
  readonly name: string;
  readonly load: MeasuredLoad;
}

/**
 * Measures the processor time of pages, in the process that serves them: on a shared machine, it is
 * more reliable than the clock.
 */
export const processorPart: Part = {
  name: 'processor',
  title: 'Processor time of pages',
  isOnRequest: true,
  async run(context) {
    const { isQuick, scratch, tables, profileDirectory, progress } = context;
    progress('prepares a result');
    const path = await tables.parquet('mixed', isQuick ? 20_000 : 1_000_000);
    await using server = await QuireServer.start({
      settings: {},
      directory: scratch,
      tables: { mixed: path },
      profileDirectory,
    });
    await using files = await RivalServer.start('static-file');
    const stored = await storeQuery(server, 'SELECT * FROM mixed');
    await using loads = new AsyncDisposableStack();
    const entries: Entry[] = [];
    for (const { level, rowCount, ...options } of shapes) {
      const offsets = pageOffsets('random', stored.rowCount, rowCount);
      const directory = join(scratch, `static-${entries.length}`);
      const targets = offsets.map((offset) => pageOf(stored, offset, rowCount, options));
      await writePages(stored, directory, offsets, targets);
      const plain = loads.use(new PageLoad(server.url, targets));
      const fileTargets = offsets.map((offset) => files.pageOf(directory, offset, rowCount));
      const fromFiles = loads.use(new PageLoad(files.url, fileTargets));
      entries.push(
        { level, name: quire, load: new MeasuredLoad(plain, [server.pid]) },
        { level, name: 'static-file', load: new MeasuredLoad(fromFiles, [files.pid]) },
      );
    }
    return {
      comparisons: [await measure(context, entries)],
      notes: ['All threads of a process, in user and in kernel mode.'],
    };
  },
};

async function measure({ isQuick, progress }: BenchContext, entries: readonly Entry[]) {
  await interleave(
    entries.map(({ load }) => load),
    {
      count: isQuick ? 1 : 5,
      sliceMs: isQuick ? 50 : 2000,
      onSlice: (index, count) => progress(`${index + 1} of ${count}`),
    },
  );
  return reportComparison(
    {
      id: 'page-processor',
      title: 'Processor time of a page',
      unit: 'ms',
      factor: 'page',
      comparesLevels: false,
    },
    entries.map(({ level, name, load }) => ({
      level,
      name,
      rounds: load.rounds.map(({ processorMsPerPage }) => [...processorMsPerPage]),
    })),
  );
}
