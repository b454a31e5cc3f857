import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestEngine } from './test-engine.ts';

let db: TestEngine;
beforeAll(async () => {
  db = await TestEngine.open();
});
afterAll(() => db[Symbol.asyncDispose]());

describe('text', () => {
  test('text of every length around 12 bytes, where DuckDB stores it elsewhere, is exact', async () => {
    const answer = await db.answer(
      `SELECT left('abcdefghijklmnopqrstuvwxyz', CAST(i AS INTEGER) % 27) AS s FROM range(10000) AS t(i)`,
    );

    expect(answer.column(0)).toEqual(
      Array.from({ length: 10_000 }, (_, i) => 'abcdefghijklmnopqrstuvwxyz'.slice(0, i % 27)),
    );
  });

  test('text of every kind of character is exact', async () => {
    const characters = [
      '\u0001',
      '\u001F',
      '"',
      '\\',
      '\n',
      '\uFEFF',
      'é',
      'e\u0301',
      '\u2028',
      '中',
      '\uFFFF',
      '😀',
      '👨‍👩‍👧',
      '\u202E',
    ];
    for (const count of [1, 5, 50]) {
      const rows = characters.map((character) => `('${character}')`).join(', ');
      const answer = await db.answer(
        `SELECT repeat(c, ${count}) AS s FROM (VALUES ${rows}) AS t(c)`,
      );

      expect(answer.column(0)).toEqual(characters.map((character) => character.repeat(count)));
    }
  });

  test('text with NUL characters is exact, short and long', async () => {
    const answer = await db.answer(
      `SELECT chr(0) AS a, 'a' || chr(0) || 'b' AS b, repeat('ab' || chr(0), 100) AS c`,
    );

    expect(answer.rows()).toEqual([['\0', 'a\0b', 'ab\0'.repeat(100)]]);
  });

  test('text that a query holds comes back as it is', async () => {
    const text = fc
      .string({ unit: 'binary', maxLength: 40 })
      .filter((value) => !value.includes('\0'));
    await fc.assert(
      fc.asyncProperty(fc.array(text, { minLength: 1, maxLength: 20 }), async (texts) => {
        const rows = texts.map((value) => `('${value.replaceAll("'", "''")}')`).join(', ');
        const answer = await db.answer(`SELECT s FROM (VALUES ${rows}) AS t(s)`);
        expect(answer.column(0)).toEqual(texts.map((value) => value.toWellFormed()));
      }),
      { numRuns: 50 },
    );
  });

  test('text of any lengths, in any order, is exact', async () => {
    const length = fc.oneof(fc.nat(20), fc.nat(200), fc.nat(20_000));
    await fc.assert(
      fc.asyncProperty(fc.array(length, { minLength: 1, maxLength: 300 }), async (lengths) => {
        const answer = await db.answer(
          `SELECT k, repeat(chr(33 + k % 90), n) AS s
           FROM (SELECT unnest([${lengths.join(', ')}]) AS n, CAST(unnest(range(${lengths.length})) AS INTEGER) AS k) ORDER BY hash(k)`,
        );
        const expected = answer
          .column(0)
          .map((k) => String.fromCharCode(33 + (Number(k) % 90)).repeat(lengths[Number(k)]!));
        expect(answer.column(1).every((text, row) => text === expected[row])).toBe(true);
      }),
      { numRuns: 30 },
    );
  });

  test('text from a dictionary, in any order and with repetitions, is exact', async () => {
    const answer = await db.answer(
      `SELECT a[1 + CAST(hash(i) % 500 AS INTEGER)] AS s, CAST(hash(i) % 500 AS INTEGER) AS k
       FROM range(20000) AS t(i), (SELECT list('a rather long text of number ' || j ORDER BY j) AS a FROM range(500) AS u(j))`,
    );

    expect(answer.column(0)).toEqual(
      answer.column(1).map((k) => `a rather long text of number ${k as string}`),
    );
  });

  test('text of 50 MB in one cell is exact', async () => {
    const answer = await db.answer(`SELECT repeat('0123456789', 5000000) AS s, 1 AS n`);

    const [cell] = answer.column(0);
    expect((cell as string).length).toBe(50_000_000);
    expect(cell === '0123456789'.repeat(5_000_000)).toBe(true);
  });

  test('text that is too much for one batch comes in several', async () => {
    const answer = await db.answer(
      `SELECT i, repeat(chr(97 + CAST(i AS INTEGER)), 10000000) AS s FROM range(8) AS t(i)`,
    );

    expect(answer.batches.map(({ numRows }) => numRows)).toEqual([2, 2, 2, 2]);
    expect(answer.column(0)).toEqual(['0', '1', '2', '3', '4', '5', '6', '7']);
    expect(answer.column(1).map((text) => (text as string).slice(-2))).toEqual([
      'aa',
      'bb',
      'cc',
      'dd',
      'ee',
      'ff',
      'gg',
      'hh',
    ]);
  });
});
