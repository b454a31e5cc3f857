import { join } from 'node:path';
import type { ComparisonReport } from '../measure/comparison.ts';
import type { Part } from '../measure/part.ts';
import { Child } from '../process/child.ts';
import type { EncodeOptions } from './encode.process.ts';

/**
 * JSON encoded in one process, from rows in memory: the cost of a page without HTTP and without a
 * store.
 */
export const encodePart: Part = {
  name: 'encode',
  title: 'JSON encoding in process',
  async run({ isQuick, tables, scratch, profileDirectory, progress }) {
    const rowCount = isQuick ? 2000 : 50_000;
    progress('prepares the rows');
    const options: EncodeOptions = {
      path: await tables.parquet('mixed', rowCount),
      spillDirectory: scratch,
      rounds: isQuick ? { count: 2, sliceMs: 5 } : { count: 5, sliceMs: 100 },
    };
    await using child = new Child(join(import.meta.dirname, 'encode.process.ts'), options, {
      profileDirectory,
    });
    progress('all columns together');
    const whole = (await child.call('table')) as ComparisonReport;
    progress('each kind of column');
    const columns = (await child.call('columns')) as ComparisonReport;
    return { comparisons: [whole, columns], notes: [] };
  },
};
