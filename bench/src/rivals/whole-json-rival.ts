import { readFile } from 'node:fs/promises';
import type { Rival } from './rival.ts';

/**
 * Serves the result as one JSON document, parsed for every page, like Apache Pinot's file store.
 */
export async function openWholeJsonRival(path: string): Promise<Rival> {
  return {
    async page({ offset, rowCount }) {
      const { resultTable } = JSON.parse(await readFile(path, 'utf8')) as {
        resultTable: { rows: unknown[] };
      };
      return JSON.stringify(resultTable.rows.slice(offset, offset + rowCount));
    },
    close: () => Promise.resolve(),
  };
}
