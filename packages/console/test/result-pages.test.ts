import type { QuireClient } from '@quire/client';
import { tableFromArrays, tableToIPC } from '@uwdata/flechette';
import { expect, test } from 'vitest';
import { ResultPages } from '../app/query/result-pages.ts';

const columns = [{ name: 'n', dataType: 'LONG' }];

/** Pages of a result of 5 rows, of which the server sends a number at each call. */
function pagesOf(...rowCounts: readonly number[]): ResultPages {
  const answers = rowCounts.map((length) =>
    tableToIPC(tableFromArrays({ n: Array.from({ length }, (_none, n) => n) }), {
      format: 'stream',
    }),
  );
  const client = {
    async *stream() {
      yield answers.shift();
    },
  };
  const result = { requestId: 'r', columns, totalRowCount: 5, broker: undefined };
  return new ResultPages(client as unknown as QuireClient, result);
}

test('a page that lacks rows is an error, and is requested again: its rows are not null', async () => {
  const pages = pagesOf(3, 5);
  const load = async (): Promise<void> => pages.load(0, 5, undefined, { atOnce: true });
  await expect(load()).rejects.toThrow('The page from row 1 has 3 rows; expected 5.');
  expect(pages.textAt(4, 0)).toBeUndefined();
  await load();
  expect([pages.textAt(4, 0), pages.textAt(5, 0)]).toEqual(['4', null]);
});

test('a page of a result that still grows may have more rows than are shown', async () => {
  const pages = pagesOf(9);
  await pages.load(0, 5, undefined, { atOnce: true });
  expect(pages.textAt(4, 0)).toBe('4');
});
