import duckdb, { type Connection, type Vector } from '@duckdb/node-bindings';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { assembleInJavaScript } from '../src/conversion/plain-strings.ts';
import {
  gatheredBytesMax,
  recordBytes,
  runBytesMax,
  type StringBuffers,
  StringAssembler,
} from '../src/conversion/string-assembler.ts';
import { leadingRows, readValidity } from '../src/conversion/vector-rows.ts';

let database: duckdb.Database;
let connection: Connection;
beforeAll(async () => {
  database = await duckdb.open(':memory:', duckdb.create_config());
  connection = await duckdb.connect(database);
});
afterAll(() => {
  duckdb.disconnect_sync(connection);
  duckdb.close_sync(database);
});

interface Compared {
  readonly count: number;
  /** Undefined if the assembler leaves the strings to the plain implementation. */
  readonly assembled: StringBuffers | undefined;
  readonly plain: StringBuffers;
}

/**
 * Assembles the first column of each chunk in both ways; with `elementsOf`, the vector below it.
 */
async function compareAll(
  sql: string,
  elementsOf?: (vector: Vector) => { vector: Vector; count: number },
): Promise<Compared[]> {
  const result = await duckdb.execute_prepared_streaming(await duckdb.prepare(connection, sql));
  const compared: Compared[] = [];
  for (;;) {
    const chunk = await duckdb.fetch_chunk(result);
    const size = chunk === null ? 0 : duckdb.data_chunk_get_size(chunk);
    if (chunk === null || size === 0) return compared;
    const column = duckdb.data_chunk_get_vector(chunk, 0);
    const { vector, count } = elementsOf?.(column) ?? { vector: column, count: size };
    const rows = leadingRows(count);
    const { bitmap } = readValidity(vector, rows);
    const records = (): Uint8Array<ArrayBuffer> =>
      duckdb.vector_get_data(vector, count * recordBytes) as Uint8Array<ArrayBuffer>;
    const assembled = StringAssembler.shared.assemble(records(), bitmap, count);
    compared.push({
      count,
      assembled,
      plain: assembleInJavaScript(records(), bitmap, rows, () => undefined),
    });
  }
}

function expectSame(compared: readonly Compared[]): void {
  expect(compared.length).toBeGreaterThan(0);
  for (const { count, assembled, plain } of compared) {
    expect(assembled).toBeDefined();
    expect(assembled?.valueOffsets).toHaveLength(count + 1);
    expect(
      Buffer.compare(
        Buffer.from(assembled!.valueOffsets.buffer),
        Buffer.from(plain.valueOffsets.buffer),
      ),
    ).toBe(0);
    expect(Buffer.compare(assembled!.values, plain.values)).toBe(0);
  }
}

describe('strings assembled in WebAssembly are those of the plain way', () => {
  const shuffled = `FROM range(20000) AS t(i) ORDER BY hash(i)`;
  const numbered = `'a rather long text of number ' || i`;

  test.each([
    [
      'all short',
      `SELECT left('abcdefghijkl', CAST(hash(i) % 13 AS INTEGER)) FROM range(5000) AS t(i)`,
    ],
    ['all long, one behind the other', `SELECT ${numbered} FROM range(5000) AS t(i)`],
    [
      'short and long',
      `SELECT repeat('xyz', CAST(hash(i) % 9 AS INTEGER)) || i FROM range(20000) AS t(i)`,
    ],
    [
      'of 11 to 17 bytes',
      `SELECT left('abcdefghijklmnopqrstuvwxyz', 11 + CAST(i % 7 AS INTEGER)) FROM range(5000) AS t(i)`,
    ],
    ['in another order than in memory', `SELECT ${numbered} ${shuffled}`],
    ['with nulls', `SELECT CASE WHEN hash(i) % 3 > 0 THEN ${numbered} END ${shuffled}`],
    ['nulls only', `SELECT CAST(NULL AS VARCHAR) FROM range(3000)`],
    ['empty only', `SELECT '' FROM range(3000)`],
    ['a constant', `SELECT 'the same text, rather long' FROM range(3000)`],
    [
      'of a dictionary',
      `SELECT a[1 + CAST(hash(i) % 500 AS INTEGER)] FROM range(9000) AS t(i), (SELECT list('a rather long text of number ' || j) AS a FROM range(500) AS u(j))`,
    ],
    [
      'of an enumeration as text',
      `SELECT CAST(e AS VARCHAR) FROM (SELECT CAST(['north', 'a value of twenty-two'][1 + i % 2] AS ENUM ('north', 'a value of twenty-two')) AS e FROM range(5000) AS t(i))`,
    ],
    [
      'joined',
      `SELECT b.s FROM range(5000) AS t(i) JOIN (SELECT i, ${numbered} AS s FROM range(100) AS u(i)) AS b ON b.i = t.i % 100`,
    ],
    [
      'blobs with NULs',
      `SELECT encode(repeat(chr(0), CAST(i % 30 AS INTEGER)) || i) FROM range(5000) AS t(i)`,
    ],
    ['of 400 bytes', `SELECT repeat('0123456789', 40) || i FROM range(5000) AS t(i)`],
  ])('strings assembled in WebAssembly are those of the plain way: %s', async (_, sql) => {
    expectSame(await compareAll(sql));
  });

  test('elements of lists, more than there are rows', async () => {
    const sql = `SELECT list_transform(range(5), lambda j: repeat('list', CAST(j AS INTEGER)) || i) FROM range(2048) AS t(i)`;
    const elementsOf = (list: Vector) => ({
      vector: duckdb.list_vector_get_child(list),
      count: duckdb.list_vector_get_size(list),
    });

    const compared = await compareAll(sql, elementsOf);

    expectSame(compared);
    expect(compared[0]?.count).toBe(5 * 2048);
  });

  test('strings assembled in WebAssembly are those of the plain way of any lengths and nulls, in any order', async () => {
    const length = fc.option(fc.oneof(fc.nat(20), fc.nat(100), fc.nat(3000)), { freq: 5 });
    await fc.assert(
      fc.asyncProperty(fc.array(length, { minLength: 1, maxLength: 200 }), async (lengths) => {
        const list = lengths.map((value) => value ?? 'NULL').join(', ');
        const numbers = `SELECT unnest(CAST([${list}] AS INTEGER[])) AS n, unnest(range(${lengths.length})) AS k`;
        expectSame(
          await compareAll(
            `SELECT repeat(chr(33 + CAST(k AS INTEGER) % 90), n) FROM (${numbers}) ORDER BY hash(k)`,
          ),
        );
      }),
      { numRuns: 50 },
    );
  });
});

describe('the assembler leaves to the plain way', () => {
  test('strings of more bytes than it has memory for, and takes as many as it has', async () => {
    const texts = (size: number): string => `SELECT unnest(['short', repeat('x', ${size - 5})])`;
    const [tooLarge] = await compareAll(texts(gatheredBytesMax + 1));

    expect(tooLarge?.assembled).toBeUndefined();
    expect(tooLarge?.plain.values).toHaveLength(gatheredBytesMax + 1);
    expectSame(await compareAll(texts(gatheredBytesMax)));
  });

  test('strings one behind the other only when they are far more', async () => {
    const [tooLarge] = await compareAll(`SELECT repeat('x', ${runBytesMax + 1})`);

    expect(tooLarge?.assembled).toBeUndefined();
    expect(tooLarge?.plain.values).toHaveLength(runBytesMax + 1);
    expectSame(await compareAll(`SELECT repeat('x', ${runBytesMax})`));
    expectSame(await compareAll(`SELECT repeat('0123456789', 100) || i FROM range(3000) AS t(i)`));
  });

  test('strings in more places than it looks at', async () => {
    const result = await duckdb.query(connection, `SELECT repeat('0123456789abcdef', 65536)`);
    const chunk = await duckdb.fetch_chunk(result);
    const [record] = new BigUint64Array(
      duckdb.vector_get_data(duckdb.data_chunk_get_vector(chunk!, 0), 16).buffer as ArrayBuffer,
      8,
    );
    const recordsOf = (count: number, stride: number): Uint8Array<ArrayBuffer> => {
      const words = new BigUint64Array(count * 2);
      // Strings of 100 bytes within the one of a megabyte, the last one first.
      for (let row = 0; row < count; row += 1) {
        words.set([100n, record! + BigInt((count - 1 - row) * stride)], row * 2);
      }
      return new Uint8Array(words.buffer);
    };
    const plainly = (records: Uint8Array<ArrayBuffer>) =>
      assembleInJavaScript(
        records,
        undefined,
        leadingRows(records.length / recordBytes),
        () => undefined,
      );

    for (const count of [2, 63, 64]) {
      const records = recordsOf(count, 16_000);
      const assembled = StringAssembler.shared.assemble(records, undefined, count);
      expect(assembled).toEqual(plainly(records));
    }
    const tooMany = recordsOf(65, 16_000);
    expect(StringAssembler.shared.assemble(tooMany, undefined, 65)).toBeUndefined();
    expect(plainly(tooMany).values).toHaveLength(6500);
    duckdb.data_chunk_reset(chunk!);
  });

  test('the assembler leaves more rows than it has memory for to the plain way', () => {
    expect(StringAssembler.shared.assemble(new Uint8Array(0), undefined, 16_385)).toBeUndefined();
  });
});
