import { Field, type RecordBatch, Utf8 } from 'apache-arrow';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ByteCursor } from '../src/answer/byte-cursor.ts';
import { type AnswerPart, readAnswer, type RowsPart } from '../src/answer/read-answer.ts';
import { RowParser } from '../src/answer/row-parser.ts';
import { RowReader } from '../src/answer/row-reader.ts';

/** Splits a text into chunks at any position, as a socket does. */
async function* chunksOf(text: string, cuts: readonly number[]): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  let start = 0;
  for (const cut of [...new Set(cuts.map((each) => each % bytes.length))].toSorted(
    (left, right) => left - right,
  )) {
    yield bytes.subarray(start, cut);
    start = cut;
  }
  yield bytes.subarray(start);
}

interface ReadAnswer {
  readonly types: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
  readonly members: Readonly<Record<string, unknown>>;
}

/** The parsed answer, with values as Arrow returns them; its BYTES in lists are hexadecimal. */
async function read(text: string, cuts: readonly number[] = []): Promise<ReadAnswer> {
  let reader: RowReader | undefined;
  let types: readonly string[] = [];
  const rows: unknown[][] = [];
  const members: Record<string, unknown> = {};
  const take = (part: AnswerPart): void => {
    if (part.kind === 'member') members[part.name] = JSON.parse(part.text);
    else if (part.kind === 'columns') {
      reader = new RowReader(part.columns, 'hex');
      types = part.columns.map(({ pinotType }) => pinotType);
    } else {
      for (const batch of reader?.read(part) ?? []) {
        for (let row = 0; row < batch.numRows; row += 1) {
          rows.push(types.map((_, column) => plain(batch.getChildAt(column)?.get(row))));
        }
        (batch as RecordBatch & Disposable)[Symbol.dispose]();
      }
    }
  };
  for await (const part of readAnswer(new ByteCursor(chunksOf(text, cuts)))) take(part);
  return { types, rows, members };
}

/** Reads an answer with one row, into a batch that is not disposed. */
async function batchOf(value: number): Promise<RecordBatch & Disposable> {
  const text = answerOf({ n: 'INT' }, `[[${value}]]`);
  let reader: RowReader | undefined;
  let batch: RecordBatch | undefined;
  for await (const part of readAnswer(new ByteCursor(chunksOf(text, [])))) {
    if (part.kind === 'columns') reader = new RowReader(part.columns, 'hex');
    if (part.kind === 'rows') batch ??= reader?.read(part)[0];
  }
  return batch as RecordBatch & Disposable;
}

/** Returns the memory of the first column of a batch. */
function memoryOf(batch: RecordBatch | undefined): ArrayBufferLike | undefined {
  return (batch?.data.children[0]?.values as Int32Array | undefined)?.buffer;
}

/** Returns lists and maps as JavaScript values. */
function plain(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  if (typeof value !== 'object' || value === null) return value;
  if ('toJSON' in value && !(Symbol.iterator in value && 'get' in value)) {
    return (value as { toJSON(): unknown }).toJSON();
  }
  return Array.from(value as Iterable<unknown>, plain);
}

function answerOf(
  columns: Readonly<Record<string, string>>,
  rowsText: string,
  more = '"exceptions":[]',
): string {
  const dataSchema = { columnNames: Object.keys(columns), columnDataTypes: Object.values(columns) };
  return `{"resultTable":{"dataSchema":${JSON.stringify(dataSchema)},"rows":${rowsText}},${more}}`;
}

/** Returns a row for each cell. */
function rowsOf(cells: readonly string[]): string {
  return `[${cells.map((cell) => `[${cell}]`).join(',')}]`;
}

describe('an answer', () => {
  test('an answer is the same as JSON.parse reads it, wherever it is cut', async () => {
    const cell = fc.record({
      text: fc.option(fc.string({ unit: 'binary' }), { nil: null }),
      int: fc.option(fc.integer(), { nil: null }),
      double: fc.option(fc.double({ noNaN: true, noDefaultInfinity: true }), { nil: null }),
      flag: fc.option(fc.boolean(), { nil: null }),
      list: fc.option(fc.array(fc.string()), { nil: null }),
      json: fc.json(),
    });
    const columns = {
      text: 'STRING',
      int: 'INT',
      double: 'DOUBLE',
      flag: 'BOOLEAN',
      list: 'STRING_ARRAY',
      json: 'JSON',
    };
    await fc.assert(
      fc.asyncProperty(
        fc.array(cell),
        fc.array(fc.nat()),
        fc.dictionary(fc.string(), fc.jsonValue()),
        fc.constantFrom(undefined, 1),
        async (given, cuts, others, indent) => {
          const rows = given.map(({ text, int, double, flag, list, json }) => [
            text,
            int,
            double,
            flag,
            list,
            json,
          ]);
          delete others['resultTable'];
          const members = { ...others, exceptions: [] };
          const { resultTable } = JSON.parse(answerOf(columns, JSON.stringify(rows))) as {
            resultTable: object;
          };
          const result = await read(
            JSON.stringify({ resultTable, ...members }, undefined, indent),
            cuts,
          );
          expect(result.types).toEqual(Object.values(columns));
          // JSON.stringify drops the sign of zero.
          expect(result.rows).toEqual(JSON.parse(JSON.stringify(rows)));
          expect(result.members).toEqual(JSON.parse(JSON.stringify(members)));
        },
      ),
    );
  });

  test('an answer has every 64-bit integer exactly', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })),
        async (numbers) => {
          const { rows } = await read(
            answerOf({ n: 'LONG' }, `[${numbers.map((number) => `[${number}]`).join(',')}]`),
          );
          expect(rows).toEqual(numbers.map((number) => [number]));
        },
      ),
    );
  });

  test('an answer has numbers and times of few digits as their texts say', async () => {
    const time = fc
      .tuple(
        fc.date({ min: new Date('1582-10-15'), max: new Date('9999-12-31'), noInvalidDate: true }),
        fc.integer({ min: 1, max: 9 }),
      )
      .map(([date, length]) => ({
        date,
        text: date
          .toISOString()
          .slice(0, -1)
          .replace('T', ' ')
          .padEnd(29, '7')
          .slice(0, 20 + length),
        length,
      }));
    await fc.assert(
      fc.asyncProperty(
        fc.integer(),
        fc.integer({ min: 0, max: 18 }),
        time,
        async (digits, decimals, { date, text, length }) => {
          const number = `${digits < 0 ? '-' : ''}${String(Math.abs(digits)).padStart(decimals + 1, '0')}`;
          const decimal =
            decimals === 0 ? number : `${number.slice(0, -decimals)}.${number.slice(-decimals)}`;
          const { rows } = await read(
            answerOf(
              { d: 'DOUBLE', i: 'INT', t: 'TIMESTAMP' },
              `[[${decimal},${digits},"${text}"]]`,
            ),
          );
          const cut = 10 ** Math.max(0, 3 - length);
          expect(rows).toEqual([[Number(decimal), digits, Math.floor(date.getTime() / cut) * cut]]);
        },
      ),
    );
  });

  // The texts are those of java.sql.Timestamp.toString() in UTC.
  test.each([
    ['1582-10-15 00:00:00.0', '1582-10-15T00:00:00.000Z'],
    ['1582-10-04 23:59:59.999', '1582-10-14T23:59:59.999Z'],
    ['1582-10-04 00:00:00.0', '1582-10-14T00:00:00.000Z'],
    ['1500-02-29 00:00:00.0', '1500-03-10T00:00:00.000Z'],
    ['1499-12-23 00:00:00.0', '1500-01-01T00:00:00.000Z'],
    ['0001-01-03 00:00:00.0', '0001-01-01T00:00:00.000Z'],
  ])('an answer has the TIMESTAMP %s of Java, Julian before 1582-10-15', async (text, time) => {
    const { rows } = await read(answerOf({ t: 'TIMESTAMP' }, `[["${text}"]]`));
    expect(rows).toEqual([[Date.parse(time)]]);
  });

  test('an answer has texts as JSON.parse reads them, whatever their escapes', async () => {
    const texts = [
      '"\\" \\\\ \\/ \\b\\f\\n\\r\\t \\u0041\\u00e9\\u20ac\\ud83d\\ude00"',
      '"0123456789abcde\\"0123456789abcdef\\n"',
      '"\\ud83d\\ude00\\ud83d\\ude01"',
      '""',
    ];
    // Arrow cannot represent half of a surrogate pair.
    const halves = ['"\\ud800"', '"\\ud800\\n"', '"\\ud800\\u0041"', '"\\udc00 \\ud800"'];
    const answer = answerOf({ t: 'STRING' }, rowsOf([...texts, ...halves]));
    const expected = [...texts, ...halves].map((text) => [
      (JSON.parse(text) as string).toWellFormed(),
    ]);
    for (const cuts of [[], Array.from({ length: answer.length }, (_, cut) => cut)]) {
      expect((await read(answer, cuts)).rows).toEqual(expected);
    }
    await expect(read(answerOf({ t: 'STRING' }, '[["\\x"]]'))).rejects.toMatchObject({
      code: 'UNEXPECTED_RESPONSE',
      message: expect.stringContaining('a string was expected'),
    });
  });

  test('an answer has numbers in every form that JSON has', async () => {
    const numbers = [
      '0',
      '-0.0',
      '1.0E10',
      '1e-7',
      '1.7976931348623157E308',
      '5e-324',
      '123456.7891',
    ];
    const more = ['-9007199254740993', '0.1234567890123456789', '1E400', '12345678901234567890.5'];
    const all = [...numbers, ...more, '"NaN"', '"-Infinity"', 'null'];
    const { rows } = await read(answerOf({ d: 'DOUBLE' }, rowsOf(all)));
    const expected = [...[...numbers, ...more].map(Number), NaN, -Infinity, null];
    expect(rows).toEqual(expected.map((each) => [each]));
    const floats = await read(answerOf({ f: 'FLOAT', i: 'INT' }, '[[0.1,5.0],[1e39,-7]]'));
    expect(floats.rows).toEqual([
      [Math.fround(0.1), 5],
      [Infinity, -7],
    ]);
  });

  test('an answer may have more rows, columns and bytes in a row than are parsed at a time', async () => {
    const long = 'x'.repeat(700_000);
    const texts = await read(
      answerOf(
        { t: 'STRING', l: 'STRING_ARRAY' },
        JSON.stringify([
          ['a', []],
          [long, [long]],
        ]),
      ),
      [100, 70_000, 800_000],
    );
    expect(texts.rows).toEqual([
      ['a', []],
      [long, [long]],
    ]);
    const many = Array.from({ length: 9_000 }, (_, n) => [n, `row ${n}`]);
    expect((await read(answerOf({ n: 'INT', t: 'STRING' }, JSON.stringify(many)))).rows).toEqual(
      many,
    );
    const wide = Array.from({ length: 5_000 }, (_, n) => n + 0.1234567890123456);
    const columns = Object.fromEntries(wide.map((_, index) => [`c${index}`, 'DOUBLE']));
    const { rows } = await read(answerOf(columns, JSON.stringify([wide, wide])));
    expect(rows).toEqual([wide, wide]);
  });

  test('a long row has values of all types as a short one has them, and so have the rows after it', async () => {
    const cells: Readonly<Record<string, string>> = {
      INT: '-7',
      LONG: '9223372036854775807',
      FLOAT: '0.1',
      DOUBLE: '0.12345678901234567',
      BOOLEAN: 'true',
      TIMESTAMP: '"2026-01-01 00:00:00.5"',
      BYTES: '"00ff"',
      BIG_DECIMAL: '1.50',
      JSON: '{"a": [1]}',
      INT_ARRAY: '[1,null]',
      MAP: '{"k":1}',
    };
    const types = Object.keys(cells);
    const columns = Object.fromEntries(['STRING', ...types].map((type) => [type, type]));
    const rowOf = (text: string, values: readonly string[]): string =>
      `[${[JSON.stringify(text), ...values].join(' , ')} ]`;
    const [values, nulls] = [Object.values(cells), types.map(() => 'null')];
    const long = 'é"'.repeat(1_000_000);
    const texts = ['a', long, long, 'b'];
    const rows = [values, values, nulls, nulls].map((each, index) =>
      rowOf(texts[index] ?? '', each),
    );
    const answer = await read(answerOf(columns, `[${rows.join(',')}]`), [2_000_000, 9_000_000]);
    expect(answer.rows.map(([text]) => text)).toEqual(texts);
    const others = answer.rows.map(([, ...each]) => each);
    expect(others).toEqual([others[0], others[0], others[3], others[3]]);
    expect(others[0]?.slice(0, 2)).toEqual([-7, 9_223_372_036_854_775_807n]);
    expect(others[0]?.includes(null)).toBe(false);
    expect(new Set(others[3])).toEqual(new Set([null]));
  });

  test('memory for a long row depends on its length, and not on the number of columns', async () => {
    const columns = Object.fromEntries(Array.from({ length: 1200 }, (_, n) => [`c${n}`, 'STRING']));
    const [usual, long] = ['x', 'x'.repeat(4_200_000)].map((text) =>
      Object.keys(columns).map((_, n) => (n === 7 ? text : 'y')),
    );
    const { rows } = await read(answerOf(columns, JSON.stringify([usual, long, usual])));
    expect(rows).toEqual([usual, long, usual]);
  });

  test('rows after a long one use the usual memory, and the same for each part', async () => {
    const columns = { t: 'STRING', u: 'STRING' };
    const reader = new RowReader(
      Object.entries(columns).map(([name, pinotType]) => ({
        name,
        pinotType,
        field: new Field(name, new Utf8(), true),
      })),
      'hex',
    );
    const partOf = (text: string): RowsPart => {
      const bytes = Buffer.from(`[${JSON.stringify(text)},"u"],`);
      return { kind: 'rows', bytes, start: 0, end: bytes.length, taken: 0 };
    };
    reader.read(partOf('x'.repeat(20_000_000)));
    reader.read(partOf('a'));
    const parser = RowParser.shared;
    reader.read(partOf('b'));
    expect(RowParser.shared).toBe(parser);
    expect(parser.bytes.length).toBeLessThan(12_000_000);
  });

  test.each([
    ['STRING', '"a" "b"', "']'"],
    ['INT', '1,2', "']'"],
    ['INT', '1 2', "']'"],
    ['DOUBLE', '1.5x', "']'"],
    ['BOOLEAN', 'yes', 'true or false'],
  ])(
    'an answer with a row that is malformed is refused: a %s of %s',
    async (type, cell, reason) => {
      await expect(read(answerOf({ c: type }, `[[${cell}]]`))).rejects.toMatchObject({
        code: 'UNEXPECTED_RESPONSE',
        message: expect.stringContaining(reason),
      });
    },
  );

  test.each([
    ['INT', '2147483648', 'expected Int32'],
    ['LONG', '9223372036854775808', 'expected Int64'],
    ['LONG', '1.5', 'expected Int64'],
    ['DOUBLE', '"many"', 'expected Float64'],
    ['TIMESTAMP', '"yesterday"', 'expected Timestamp'],
    ['BYTES', '"0g"', 'expected Binary'],
    ['BOOLEAN', '1', 'true or false'],
    ['INT_ARRAY', '3', 'a list'],
    ['MAP', '[]', 'an object'],
  ])('an answer with a %s of %s is refused', async (type, cell, reason) => {
    await expect(read(answerOf({ c: type }, `[[${cell}]]`))).rejects.toMatchObject({
      code: 'UNEXPECTED_RESPONSE',
      message: expect.stringContaining(reason),
    });
  });

  test.each([
    ['', 'it ended'],
    ['<html>', "found '<'"],
    [
      '{"resultTable":{"dataSchema":{"columnNames":["a"],"columnDataTypes":["INT"]},"rows":[[1],[2',
      'it ended',
    ],
    ['{"resultTable":{"rows":[1]}}', "found '1'"],
    ['{"exceptions":[] "a":1}', "',' or '}'"],
  ])('an answer that breaks off or is not JSON is refused: %s', async (text, reason) => {
    await expect(read(text)).rejects.toMatchObject({
      code: 'UNEXPECTED_RESPONSE',
      message: expect.stringContaining(reason),
    });
  });

  test('an answer without columns has its exceptions', async () => {
    const { rows, members } = await read(
      '{"resultTable":null,"exceptions":[{"errorCode":150,"message":"no"}]}',
    );
    expect([rows, members]).toEqual([
      [],
      { resultTable: null, exceptions: [{ errorCode: 150, message: 'no' }] },
    ]);
  });
});

test('answers that are read one after another have the same memory, that of the last batch disposed', async () => {
  const open = await Promise.all([1, 2, 3].map(batchOf));
  expect(new Set(open.map(memoryOf)).size).toBe(3);
  for (const batch of open) batch[Symbol.dispose]();
  const memory = memoryOf(open.at(-1));
  expect(memory).toBeInstanceOf(ArrayBuffer);
  for (const value of [4, 5]) {
    using batch = await batchOf(value);
    expect(batch.getChildAt(0)?.get(0)).toBe(value);
    expect(memoryOf(batch)).toBe(memory);
  }
});
