import { join } from 'node:path';
import { type ComparisonEntry, quire, runComparison } from '../measure/comparison.ts';
import { repeated } from '../measure/interleave.ts';
import type { Part } from '../measure/part.ts';
import { Child } from '../process/child.ts';
import type { Knowledge, TablesAnswer, TablesOptions, TablesRequest } from './tables.process.ts';

/**
 * Compares the first query of a table after a start, which verifies the checksums of its files,
 * with queries that need not.
 */
export const tablesPart: Part = {
  name: 'tables',
  title: 'First queries of tables',
  async run({ isQuick, scratch, profileDirectory, progress }) {
    const options: TablesOptions = {
      rowCount: isQuick ? 500 : 50_000,
      segmentCount: isQuick ? 2 : 8,
      directory: scratch,
    };
    progress('loads a table');
    await using child = new Child(join(import.meta.dirname, 'tables.process.ts'), options, {
      profileDirectory,
    });
    const ask = async (request: TablesRequest): Promise<number> =>
      ((await child.call(request)) as TablesAnswer).figure;
    const sizeBytes = await ask({ kind: 'size' });
    const title = 'From a query to its last row, in a process that has not read the table before';
    const entries = Object.entries(queries).flatMap(([level, sql]) =>
      contenders.map(([name, knowledge]): ComparisonEntry => {
        return { level, name, contender: repeated(() => ask({ kind: 'ask', sql, knowledge })) };
      }),
    );
    const comparison = await runComparison(
      {
        id: 'tables-first-query',
        title,
        unit: 'ms',
        factor: 'query',
        comparesLevels: false,
        entries,
      },
      {
        count: isQuick ? 1 : 5,
        sliceMs: isQuick ? 1 : 500,
        onSlice: (index, count) => progress(`${title}: ${Math.round((100 * index) / count)} %`),
      },
    );
    return {
      comparisons: [comparison],
      notes: [
        `The table has ${(sizeBytes / 1e6).toFixed(0)} MB in ${options.segmentCount} segments.`,
        ...notes,
      ],
    };
  },
};

const queries = {
  'one column of numbers': 'SELECT sum(n) FROM texts',
  'all of its bytes': 'SELECT sum(n), sum(length(text)) FROM texts',
} as const;

const contenders: readonly (readonly [name: string, knowledge: Knowledge])[] = [
  [quire, 'nothing'],
  ['compared by another process', 'shared'],
  ['not compared', 'trusted'],
];

const notes = [
  'The files are in the cache of the system. Each query has an engine of its own, as a new process has; compared by another process: what all but the first pay.',
];
