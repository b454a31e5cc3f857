import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { floatText } from './cell-text.ts';
import { TestEngine } from './test-engine.ts';

let db: TestEngine;
beforeAll(async () => {
  db = await TestEngine.open();
});
afterAll(() => db[Symbol.asyncDispose]());

/** Values of every DuckDB type, extremes first: SQL type, Arrow type, SQL texts of the values. */
const scalars: readonly (readonly [
  sqlType: string,
  arrowType: string,
  values: readonly string[],
])[] = [
  ['BOOLEAN', 'Bool', ['true', 'false']],
  ['TINYINT', 'Int8', ['-128', '127', '0']],
  ['SMALLINT', 'Int16', ['-32768', '32767', '0']],
  ['INTEGER', 'Int32', ['-2147483648', '2147483647', '0']],
  [
    'BIGINT',
    'Int64',
    ['-9223372036854775808', '9223372036854775807', '0', '-1', '9007199254740993'],
  ],
  ['UTINYINT', 'Uint8', ['255', '0']],
  ['USMALLINT', 'Uint16', ['65535', '0']],
  ['UINTEGER', 'Uint32', ['4294967295', '0']],
  ['UBIGINT', 'Uint64', ['18446744073709551615', '0']],
  [
    'HUGEINT',
    'Decimal[38e0]',
    [`-${'9'.repeat(38)}`, '9'.repeat(38), '0', '-1', '18446744073709551616'],
  ],
  ['HUGEINT', 'Utf8', ['-170141183460469231731687303715884105728', '0', '-1']],
  ['HUGEINT', 'Utf8', ['170141183460469231731687303715884105727', `1${'0'.repeat(38)}`]],
  ['UHUGEINT', 'Utf8', ['340282366920938463463374607431768211455', '0']],
  ['BIGNUM', 'Utf8', [`-${'9'.repeat(120)}`, '9'.repeat(120), '0']],
  [
    'FLOAT',
    'Float32',
    ['3.4028235e38', '-3.4028235e38', '1e-45', '0.1', '-0.0', 'nan', 'inf', '-inf'],
  ],
  [
    'DOUBLE',
    'Float64',
    [
      '1.7976931348623157e308',
      '5e-324',
      '0.1',
      '-0.0',
      'nan',
      'inf',
      '-inf',
      '123456789012345680000',
    ],
  ],
  ['DECIMAL(4,1)', 'Decimal[4e+1]', ['999.9', '-999.9', '0.0', '-0.1']],
  ['DECIMAL(4,4)', 'Decimal[4e+4]', ['0.9999', '-0.0001']],
  ['DECIMAL(9,4)', 'Decimal[9e+4]', ['99999.9999', '-99999.9999', '-0.0001']],
  [
    'DECIMAL(18,6)',
    'Decimal[18e+6]',
    ['999999999999.999999', '-999999999999.999999', '-0.000001', '4294.967296'],
  ],
  ['DECIMAL(19,0)', 'Decimal[19e0]', ['9999999999999999999', '-9999999999999999999']],
  [
    'DECIMAL(38,10)',
    'Decimal[38e+10]',
    [`${'9'.repeat(28)}.${'9'.repeat(10)}`, `-${'9'.repeat(28)}.${'9'.repeat(10)}`],
  ],
  ['DECIMAL(38,38)', 'Decimal[38e+38]', [`0.${'9'.repeat(38)}`, `-0.${'0'.repeat(37)}1`]],
  [
    'DATE',
    'Date32<DAY>',
    [
      '5877642-06-25 (BC)',
      '5881580-07-10',
      '1969-12-31',
      '0001-01-01',
      '0044-03-15 (BC)',
      'infinity',
      '-infinity',
    ],
  ],
  ['TIME', 'Time64<MICROSECOND>', ['00:00:00', '24:00:00', '23:59:59.999999', '12:34:56.7']],
  ['TIME_NS', 'Time64<NANOSECOND>', ['00:00:00', '24:00:00', '23:59:59.999999999']],
  ['TIMETZ', 'Utf8', ['00:00:00+15:59:59', '24:00:00-15:59:59', '12:34:56.7+05:30']],
  [
    'TIMESTAMP_S',
    'Timestamp<SECOND>',
    ['1969-12-31 23:59:59', '290308-12-22 (BC) 00:00:00', 'infinity', '-infinity'],
  ],
  [
    'TIMESTAMP_MS',
    'Timestamp<MILLISECOND>',
    ['1969-12-31 23:59:59.999', '294247-01-10 04:00:54.775', 'infinity', '-infinity'],
  ],
  [
    'TIMESTAMP',
    'Timestamp<MICROSECOND>',
    [
      '1969-12-31 23:59:59.999999',
      '290308-12-22 (BC) 00:00:00',
      '294247-01-10 04:00:54.775806',
      '2000-01-01 00:00:00.1',
      'infinity',
      '-infinity',
    ],
  ],
  [
    'TIMESTAMP_NS',
    'Timestamp<NANOSECOND>',
    [
      '1677-09-22 00:00:00',
      '2262-04-11 23:47:16.854775806',
      '1969-12-31 23:59:59.999999999',
      'infinity',
      '-infinity',
    ],
  ],
  [
    'TIMESTAMPTZ',
    'Timestamp<MICROSECOND, UTC>',
    ['1969-12-31 23:59:59.999999+00', '2024-02-29 12:00:00+05:30', 'infinity', '-infinity'],
  ],
  [
    'INTERVAL',
    'Utf8',
    [
      '1 year 2 months 3 days 04:05:06.789',
      '-1 days',
      '00:00:00',
      '83 years 3 months 999 days 00:16:39.999999',
    ],
  ],
  [
    'UUID',
    'FixedSizeBinary[16]',
    [
      '00000000-0000-0000-0000-000000000000',
      'ffffffff-ffff-ffff-ffff-ffffffffffff',
      '01234567-89ab-7def-8123-456789abcdef',
    ],
  ],
  ['VARCHAR', 'Utf8', ['', 'a', 'hello']],
  ['JSON', 'Utf8', ['{"a": [1, null]}', 'null', '"text"']],
  [`ENUM('small', 'a rather long value')`, 'Utf8', ['small', 'a rather long value']],
  ['BIT', 'Utf8', ['1', '0101010', '11111111000000001']],
  ['UNION(n INTEGER, s VARCHAR)', 'Utf8', ['a', '1']],
  ['VARIANT', 'Utf8', ['a', '1']],
  ['GEOMETRY', 'Utf8', ['POINT (1 2)', 'LINESTRING (0 0, 1 1.5)']],
];

describe('a column of type', () => {
  test.each(scalars)(
    'a column of type %s is %s in Arrow, and its values are those that DuckDB shows',
    async (sqlType, arrowType, values) => {
      // With a null at the start, in the middle and at the end, and enough rows for several chunks.
      const rows = [null, ...values.flatMap((value) => [value, null])];
      const list = rows.map((value) => (value === null ? 'NULL' : `'${value}'`)).join(', ');
      const source = `SELECT CAST(unnest([${list}]) AS ${sqlType}) AS v FROM range(${Math.ceil(5000 / rows.length)})`;
      const answer = await db.answer(`SELECT v, CAST(v AS VARCHAR) AS expected FROM (${source})`);

      expect(answer.columns).toEqual([`v: ${arrowType}`, 'expected: Utf8']);
      expect(answer.rowCount).toBeGreaterThanOrEqual(5000);
      const isFloat = arrowType.startsWith('Float');
      const round = sqlType === 'FLOAT' ? Math.fround : (value: number) => value;
      const expected = answer
        .column(1)
        .map((text) =>
          isFloat && text !== null ? floatText(round(parseFloatText(text as string))) : text,
        );
      const wrong = answer
        .column(0)
        .flatMap((text, row) => (text === expected[row] ? [] : [[text, expected[row]]]));
      expect(wrong).toEqual([]);
      expect(new Set(expected).size).toBe(new Set(rows).size);
    },
  );

  test('BLOB is Binary in Arrow, with every byte', async () => {
    const hex = ['', '00', 'FF', '00010203FE', 'AB'.repeat(12), 'AB'.repeat(13), '00'.repeat(5000)];
    const list = hex.map((digits) => `'${digits}'`).join(', ');
    const answer = await db.answer(
      `SELECT unhex(h) AS v FROM (SELECT unnest([${list}, NULL]) AS h)`,
    );

    expect(answer.columns).toEqual(['v: Binary']);
    expect(answer.column(0)).toEqual([...hex, null]);
  });

  test('NULL is an all-null INTEGER', async () => {
    const answer = await db.answer('SELECT NULL AS nothing FROM range(3)');

    expect(answer.columns).toEqual(['nothing: Int32']);
    expect(answer.column(0)).toEqual([null, null, null]);
  });
});

describe('field metadata', () => {
  const metadataOf = async (sql: string): Promise<Record<string, string>[]> => {
    await using execution = await db.execute(sql);
    return execution.schema.fields.map(({ metadata }) => Object.fromEntries(metadata));
  };

  test('field metadata names the extension types of UUID and JSON, and the big integers that come as text', async () => {
    const metadata = await metadataOf(
      `SELECT uuid() AS u, CAST('1' AS JSON) AS j, CAST(1 AS UHUGEINT) AS h, CAST(1 AS BIGNUM) AS b, 'text' AS t, INTERVAL 1 DAY AS i`,
    );

    expect(metadata).toEqual([
      { 'ARROW:extension:name': 'arrow.uuid', 'ARROW:extension:metadata': '' },
      { 'ARROW:extension:name': 'arrow.json', 'ARROW:extension:metadata': '' },
      { 'quire:columnDataType': 'BIG_DECIMAL' },
      { 'quire:columnDataType': 'BIG_DECIMAL' },
      {},
      {},
    ]);
  });

  test('field metadata is kept inside of lists and structs', async () => {
    const answer = await db.answer(`SELECT [uuid()] AS l, {'j': CAST('1' AS JSON)} AS s`);

    const names = answer.fields.map(({ type }) =>
      type.children[0]!.metadata.get('ARROW:extension:name'),
    );
    expect(names).toEqual(['arrow.uuid', 'arrow.json']);
  });
});

function parseFloatText(text: string): number {
  return Number(text.replace('inf', 'Infinity').replace('nan', 'NaN'));
}
