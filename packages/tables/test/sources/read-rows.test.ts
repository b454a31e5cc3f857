import { constants, gzipSync, zstdCompressSync } from 'node:zlib';
import { parseLosslessJson } from '@quire/core';
import {
  type DataType,
  Field,
  Int32,
  List,
  Table,
  tableToIPC,
  vectorFromArray,
} from 'apache-arrow';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { csvOptionsOf } from '../../src/sources/formats/csv-options.ts';
import { plainValue, textOfTimestamp } from '../../src/sources/formats/row-reading.ts';
import { ByteBudget } from '../../src/sources/source-file.ts';
import { column, fieldsOf } from '../pipeline/run.ts';
import { fileOf, MadeFile, readFileRows } from './memory-file.ts';

const MB = 1024 * 1024;

describe('JSON', () => {
  test.each([
    ['a list', 'x.json', '[{"a":1}, {"a":[{"b":2}]} ]'],
    ['objects one after the other', 'x.json', '{"a":1}{"a":[{"b":2}]}'],
    ['lines', 'x.jsonl', '{"a":1}\n\n{"a":[{"b":2}]}'],
    ['a list without a telling name', 'x', ' [{"a":1},{"a":[{"b":2}]}]'],
    ['a list behind a mark of its encoding', 'x.json', '\uFEFF[{"a":1},{"a":[{"b":2}]}]'],
  ])('JSON: %s', async (_name, uri, text) => {
    expect(await readFileRows(fileOf(uri, text))).toEqual({
      rows: [{ a: 1 }, { a: [{ b: 2 }] }],
      problems: [],
    });
  });

  test('integers keep all their digits, beyond 64 bits too', async () => {
    const { rows } = await readFileRows(
      fileOf('x.json', '[{"a":9223372036854775807,"b":123456789012345678901234567890}]'),
    );
    expect(rows).toEqual([
      { a: 9_223_372_036_854_775_807n, b: 123_456_789_012_345_678_901_234_567_890n },
    ]);
  });

  test.each([
    ['a list between two rows', '[{"a":1},{"a":2},\n'],
    ['a list behind a row', '[{"a":1},{"a":2}'],
    ['an object', '{"a":1}{"a":2}{"a":'],
    ['a text', '{"a":1}{"a":2}"x'],
  ])('JSON that ends within %s gives its rows, and a finding', async (_name, text) => {
    expect(await readFileRows(fileOf('x.json', text))).toEqual({
      rows: [{ a: 1 }, { a: 2 }],
      problems: ['FILE_CORRUPT'],
    });
    const { problems } = await readFileRows(fileOf('x.json', text), { rowsMax: 2 });
    expect(problems).toEqual([]);
  });

  test('JSON that is not an object is left out, and the rest is read', async () => {
    expect(await readFileRows(fileOf('x.jsonl', '{"a":1}\n{"a":\n7\n{"a":2}'))).toEqual({
      rows: [{ a: 1 }, { a: 2 }],
      problems: ['ROW_UNREADABLE', 'ROW_UNREADABLE'],
    });
  });

  test('any rows of JSON come out as they went in, wherever chunks end', async () => {
    const row = fc.dictionary(fc.string(), fc.jsonValue());
    await fc.assert(
      fc.asyncProperty(
        fc.array(row),
        fc.integer({ min: 1, max: 40 }),
        fc.constantFrom('list', 'lines'),
        async (rows, chunkBytes, kind) => {
          const texts = rows.map((each) => JSON.stringify(each));
          const text = kind === 'list' ? `[${texts.join(' ,\n')}]` : texts.join('\n');
          const read = await readFileRows(
            fileOf(kind === 'list' ? 'x.json' : 'x.jsonl', text, chunkBytes),
          );
          expect(read).toEqual({ rows: parseLosslessJson(`[${texts.join(',')}]`), problems: [] });
        },
      ),
    );
  });

  test.each([
    ['lists', '[', ']'],
    ['objects', '{"a":', '}'],
  ])('a row of %s nested a hundred thousand deep is left out', async (_name, open, close) => {
    const depth = 100_000;
    const row = `{"a":${open.repeat(depth)}12345678901234567890${close.repeat(depth)}}`;
    const { rows, problems } = await readFileRows(fileOf('x.jsonl', `${row}\n{"a":1}`, 65_536));
    expect(rows).toEqual([{ a: 1 }]);
    expect(['ROW_TOO_DEEP', 'ROW_UNREADABLE']).toContain(problems[0]);
  });
});

describe('CSV', () => {
  test('cells are text, empty ones have no value, and quotes may hold anything', async () => {
    const text = 'a,b, ,a\r\n1,"x, ""y""\n",,\n,2,3,4,5\n';
    expect(await readFileRows(fileOf('x.csv', text))).toEqual({
      rows: [
        { a: '1', b: 'x, "y"\n', column_3: null, a_2: null },
        { a: null, b: '2', column_3: '3', a_2: '4' },
      ],
      problems: ['ROW_TOO_WIDE'],
    });
  });

  test('a column keeps its name, whatever other columns repeat or omit theirs', async () => {
    expect(await readFileRows(fileOf('x.csv', 'a,a,a_2,,column_4,a\n1,2,3,4,5,6\n'))).toEqual({
      rows: [{ a: '1', a_3: '2', a_2: '3', column_4_2: '4', column_4: '5', a_4: '6' }],
      problems: [],
    });
  });

  test('a name that 100,000 columns have is numbered in moments', async () => {
    const header = 'a,'.repeat(100_000);
    const { rows } = await readFileRows(fileOf('x.csv', `${header}\n1\n`, 65_536));
    expect(Object.keys(rows[0] ?? {}).slice(-2)).toEqual(['a_100000', 'column_100001']);
  });

  test('a configured header of 300,000 names is checked for repeated ones in moments', () => {
    const names = Array.from({ length: 300_000 }, (_, index) => `c${index}`);
    const options = (header: readonly string[]) =>
      csvOptionsOf({ 'recordReader.prop.header': header.join(',') });
    expect(options(names)).toMatchObject({ problem: undefined, header: { length: 300_000 } });
    expect(options([...names, 'c7']).problem).toContain('‘c7’ more than once');
  });

  test('delimiter, header and lists are as the config says', async () => {
    const csv = { delimiter: ';', header: ['a', 'b'], listDelimiter: '|' };
    expect(await readFileRows(fileOf('x.csv', '1;x|y\n2;z\n'), { csv })).toEqual({
      rows: [
        { a: '1', b: ['x', 'y'] },
        { a: '2', b: 'z' },
      ],
      problems: [],
    });
  });

  test('the properties of a batch config have the meaning of Apache Pinot', async () => {
    const csv = csvOptionsOf({
      inputFormat: 'csv',
      'recordReader.prop.header': 'a,b',
      'recordReader.prop.skipHeader': 'true',
      'recordReader.prop.quoteCharacter': "'",
      'recordReader.prop.commentMarker': '#',
      'recordReader.prop.nullStringValue': 'NA',
      'recordReader.prop.multiValueDelimiter': '|',
      'recordReader.prop.fileFormat': 'RFC4180',
    });
    const text = `x,y\n'1,''"',NA\n#3,4\n5#,6|7\n`;
    expect(await readFileRows(fileOf('x.csv', text), { csv })).toEqual({
      rows: [
        { a: `1,'"`, b: null },
        { a: '5#', b: ['6', '7'] },
      ],
      problems: [],
    });
    const spaced = csvOptionsOf({ 'recordReader.prop.ignoreSurroundingSpaces': 'True' });
    const spaces = 'a , b\n x y , " z "\n';
    expect(await readFileRows(fileOf('x.csv', spaces), { csv: spaced })).toEqual({
      rows: [{ a: 'x y', b: ' z ' }],
      problems: [],
    });
    expect((await readFileRows(fileOf('x.csv', spaces))).rows).toEqual([
      { a: ' x y ', b: ' " z "' },
    ]);
    expect((await readFileRows(fileOf('x.tsv', 'a\tb\n\t 1\n'), { csv: spaced })).rows).toEqual([
      { a: null, b: '1' },
    ]);
    const first = csvOptionsOf({
      'recordReader.prop.skipHeader': 'true',
      'recordReader.prop.multiValueDelimiter': '|',
      'recordReader.prop.multiValueDelimiterEnabled': 'false',
    });
    expect(await readFileRows(fileOf('x.csv', 'a\n1|2\n'), { csv: first })).toEqual({
      rows: [{ a: '1|2' }],
      problems: [],
    });
  });

  test.each([
    ['escapeCharacter', '/', /have no such option; expected delimiter, header, /],
    ['quoteCharacter', '', /quoteCharacter = : expected one character\.$/],
    ['commentMarker', '//', /commentMarker = \/\/: expected one character\.$/],
    ['skipHeader', 'yes', /skipHeader = yes: expected true or false\.$/],
    ['ignoreEmptyLines', 'false', /ignoreEmptyLines = false: expected true\.$/],
    ['header', 'a, b,a', /header has the column ‘a’ more than once\.$/],
    ['fileFormat', 'MYSQL', /fileFormat = MYSQL: expected default or rfc4180 or excel\.$/],
  ])('the property %s = %j is refused instead of ignored', async (property, value, message) => {
    const csv = csvOptionsOf({ [`recordReader.prop.${property}`]: value });
    expect(csv.problem).toMatch(message);
    const file = fileOf('x.csv', 'a\n1\n');
    expect(await readFileRows(file, { csv })).toEqual({
      rows: [],
      problems: ['BATCH_READER_PROPERTY'],
    });
    const json = fileOf('x.jsonl', '{"a":1}');
    expect(await readFileRows(json, { csv })).toEqual({ rows: [{ a: 1 }], problems: [] });
  });

  test('no more is read than the rows that are wanted need', async () => {
    const line = Buffer.from('1,2,3\n'.repeat(10_000));
    const file = new MadeFile('x.csv', 1000 * line.length, function* chunks() {
      for (let index = 0; index < 1000; index += 1) yield line;
    });
    expect((await readFileRows(file, { rowsMax: 5 })).rows).toHaveLength(5);
    expect(file.readBytes).toBeLessThan(10 * line.length);
  });
});

describe('encodings', () => {
  test('JSON that is not UTF-8 is left out, never changed', async () => {
    const bytes = Buffer.from('{"a":"Z\u00fcrich"}\n{"a":"Bern"}\n', 'latin1');
    const rows = [{ a: 'Bern' }];
    for (const uri of ['x.jsonl', 'x.json']) {
      for (const chunkBytes of [1, 100]) {
        const read = await readFileRows(fileOf(uri, bytes, chunkBytes));
        expect(read).toEqual({ rows, problems: ['ROW_UNREADABLE'] });
      }
    }
  });

  test.each([
    'Z\u00fcrich',
    '\u00fc',
    // The start of a character, at the end of the file.
    'Z\u00c3',
  ])('CSV that is not UTF-8 is refused: %s', async (name) => {
    const bytes = Buffer.from(`a\nBern\n${name}`, 'latin1');
    for (const chunkBytes of [1, 3, 100]) {
      const { problems } = await readFileRows(fileOf('x.csv', bytes, chunkBytes));
      expect(problems).toEqual(['FILE_ENCODING']);
    }
  });

  test('UTF-8 is read wherever chunks end, and UTF-16 with its mark', async () => {
    const text = 'a\nZ\u00fcrich\n\u{1f600}\n';
    const read = { rows: [{ a: 'Z\u00fcrich' }, { a: '\u{1f600}' }], problems: [] };
    for (const chunkBytes of [1, 2, 3, 100]) {
      expect(await readFileRows(fileOf('x.csv', text, chunkBytes))).toEqual(read);
    }
    const utf16 = Buffer.from(`\uFEFF${text}`, 'utf16le');
    for (const chunkBytes of [1, 2, 3, 100]) {
      expect(await readFileRows(fileOf('x.csv', utf16, chunkBytes))).toEqual(read);
    }
  });

  test('bytes of UTF-16 that look like delimiters are parts of characters', async () => {
    // U+0A15 has the byte of a line feed, U+2C22 of a comma and a quote, U+0D0D of returns.
    const a = 'x\u2265\u4e00y\u0a15\u2c22\u0d0d\u220a';
    const utf16 = Buffer.from(`\uFEFFa,b\n"${a}",1\n${a},2\n`, 'utf16le');
    for (const chunkBytes of [1, 3, 100]) {
      expect(await readFileRows(fileOf('x.csv', utf16, chunkBytes))).toEqual({
        rows: [
          { a, b: '1' },
          { a, b: '2' },
        ],
        problems: [],
      });
    }
  });

  test.each([
    ['the start of a character at its end', Buffer.from('\uFEFFa\nxy', 'utf16le').subarray(0, -1)],
    ['half of a pair', Buffer.from('\uFEFFa\nx\ud83d\ny\n', 'utf16le')],
    ['half of a pair at its end', Buffer.from('\uFEFFa\nx\ud83d', 'utf16le')],
  ])('CSV in UTF-16 with %s is refused', async (_what, bytes) => {
    for (const chunkBytes of [1, 3, 100]) {
      const { problems } = await readFileRows(fileOf('x.csv', bytes, chunkBytes));
      expect(problems).toEqual(['FILE_ENCODING']);
    }
  });
});

describe('compressed', () => {
  test.each([
    ['gzip', gzipSync],
    ['zstd', zstdCompressSync],
  ])('rows compressed by %s are read, whatever the name says', async (_name, compress) => {
    expect(await readFileRows(fileOf('x.csv', compress(Buffer.from('a\n1\n'))))).toEqual({
      rows: [{ a: '1' }],
      problems: [],
    });
  });

  test('all frames of zstd are read, wherever chunks end, and frames to skip are skipped', async () => {
    const { ZSTD_c_checksumFlag: checksumFlag, ZSTD_c_contentSizeFlag: sizeFlag } = constants;
    const long = Array.from({ length: 20_000 }, (_, index) => ({ a: (index * 7919) % 65_521 }));
    const params = [{}, { [checksumFlag]: 1 }, { [sizeFlag]: 0 }, { [checksumFlag]: 1 }];
    const parts = [[{ a: 1 }], long, [], [{ a: 2 }]];
    const frames = parts.map((rows, index) =>
      zstdCompressSync(
        // Blocks of one repeated byte have a form of their own.
        `${rows.map((row) => `${JSON.stringify(row)}\n`).join('')}${' '.repeat(index * 100_000)}\n`,
        { params: params[index] ?? {} },
      ),
    );
    const skipped = Buffer.from('\x5a\x2a\x4d\x18\x03\0\0\0abc\x50\x2a\x4d\x18\0\0\0\0', 'latin1');
    const whole = Buffer.concat([skipped, ...frames.flatMap((frame) => [frame, skipped])]);
    for (const chunkBytes of [3, 1_000, whole.length]) {
      const read = await readFileRows(fileOf('x.jsonl.zst', whole, chunkBytes), {
        rowsMax: 30_000,
      });
      expect(read.problems).toEqual([]);
      expect(read.rows).toEqual(parts.flat());
    }
  });

  test.each([
    ['anything else', Buffer.from('{"a":2}\n')],
    ['a part of a frame', zstdCompressSync('{"a":2}\n').subarray(0, -3)],
    ['the start of a frame', zstdCompressSync('{"a":2}\n').subarray(0, 3)],
    ['a part of a frame to skip', Buffer.from('\x50\x2a\x4d\x18\x03\0\0\0ab', 'latin1')],
  ])('a frame of zstd followed by %s is a finding', async (_name, rest) => {
    const whole = Buffer.concat([zstdCompressSync('{"a":1}\n'), rest]);
    for (const chunkBytes of [1, 7, whole.length]) {
      const { problems } = await readFileRows(fileOf('x.jsonl.zst', whole, chunkBytes));
      expect(problems).toEqual(['FILE_CORRUPT']);
    }
  });

  test('a file that breaks off gives its rows, and a finding', async () => {
    const whole = gzipSync(
      Buffer.from(Array.from({ length: 2000 }, (_, index) => `{"a":${index * 7919}}`).join('\n')),
    );
    const { rows, problems } = await readFileRows(
      fileOf('x.jsonl.gz', whole.subarray(0, whole.length - 20), 1024),
      {
        rowsMax: 5000,
      },
    );
    expect(problems).toEqual(['FILE_CORRUPT']);
    expect(rows.length).toBeGreaterThan(0);
  });

  test.each([
    ['gzip', gzipSync],
    ['zstd', zstdCompressSync],
  ])('a bomb of %s ends at the budget, not in memory', async (_name, compress) => {
    const bomb = compress(Buffer.alloc(256 * MB, ' '));
    expect(bomb.length).toBeLessThan(MB);
    const budget = new ByteBudget(8 * MB);
    const before = process.memoryUsage().arrayBuffers;
    const { rows, problems } = await readFileRows(fileOf('x.jsonl', bomb, 65_536), {
      budget,
      rowBytesMax: 512 * MB,
    });
    expect({ rows, problems }).toEqual({ rows: [], problems: ['BYTE_LIMIT'] });
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(64 * MB);
  });
});

describe('a line of one gigabyte ends the reading at the longest row that is allowed:', () => {
  test.each(['x.csv', 'x.tsv', 'x.json', 'x.jsonl'])(
    'a line of one gigabyte ends the reading at the longest row that is allowed: %s',
    async (uri) => {
      const head = Buffer.from(uri.includes('json') ? '{"a":"' : 'a\n"');
      const chunk = Buffer.alloc(MB, 'y');
      const file = new MadeFile(uri, 1024 * MB, function* chunks() {
        yield head;
        for (let index = 0; index < 1023; index += 1) yield chunk;
      });
      const budget = new ByteBudget(2048 * MB);
      expect(await readFileRows(file, { rowBytesMax: 2 * MB, budget })).toEqual({
        rows: [],
        problems: ['ROW_TOO_LONG'],
      });
      expect(file.readBytes).toBeLessThan(8 * MB);
    },
  );
});

test.each([
  ['Parquet', 'PAR1 and no more', 'FILE_CORRUPT'],
  [
    'Parquet with a footer of four gigabytes',
    `PAR1${'\0'.repeat(20)}\xff\xff\xff\x7fPAR1`,
    'FILE_CORRUPT',
  ],
  ['Arrow', 'ARROW1\0\0\xff\xff\xff\xff\xff\xff\xff\x7f', 'FILE_CORRUPT'],
  ['a picture', '\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'FILE_FORMAT'],
])('what only claims to be %s is a finding', async (_name, text, code) => {
  expect(await readFileRows(fileOf('x', Buffer.from(text, 'latin1')))).toEqual({
    rows: [],
    problems: [code],
  });
});

describe('rows of libraries', () => {
  const lists = (depth: number): unknown => (depth === 0 ? 1 : [lists(depth - 1)]);
  const arrowOf = (depth: number): Uint8Array => {
    let type: DataType = new Int32();
    for (let level = 0; level < depth; level += 1) {
      type = new List(new Field('element', type, true));
    }
    return tableToIPC(new Table({ a: vectorFromArray([lists(depth)], type) }), 'stream');
  };

  test('rows of libraries may be nested a hundred deep, in Arrow as in JSON', async () => {
    const { rows, problems } = await readFileRows(fileOf('x.arrows', arrowOf(99), 65_536));
    expect([JSON.stringify(rows), problems]).toEqual([JSON.stringify([{ a: lists(99) }]), []]);
    expect(await readFileRows(fileOf('x.arrows', arrowOf(150), 65_536))).toEqual({
      rows: [],
      problems: ['ROW_TOO_DEEP'],
    });
  });

  test('rows of libraries that are deeper are refused before a stack ends', () => {
    let value: unknown = new Map([['a', 1]]);
    for (let level = 0; level < 20_000; level += 1) {
      value = level % 2 === 0 ? [value] : { a: value };
    }
    expect(() => plainValue(value, 0)).toThrow('A row is nested more than 100 levels deep.');
  });
});

test('a timestamp of a file is the same instant in a column of TIMESTAMP, whatever its calendar', async () => {
  const first = Date.UTC(1582, 9, 15);
  const yearOne = -62_135_596_800_000;
  const dimensions = [column('a', 'TIMESTAMP')];
  const instants = fc.oneof(
    fc.constantFrom(yearOne, first - 1, first, -14_831_769_600_001, 0),
    fc.integer({ min: yearOne, max: Date.UTC(9999, 11, 31) }),
  );
  await fc.assert(
    fc.asyncProperty(
      instants,
      fc.constantFrom(3 as const, 6 as const, 9 as const),
      async (ms, digits) => {
        const a = textOfTimestamp(BigInt(ms) * 10n ** BigInt(digits - 3), digits);
        expect(await fieldsOf([{ a }], { dimensions })).toEqual([{ a: ms }]);
      },
    ),
  );
  expect(textOfTimestamp(BigInt(first) * 1000n, 6)).toBe('1582-10-15 00:00:00.000');
  expect(textOfTimestamp(BigInt(first) * 1000n - 1n, 6)).toBe('1582-10-14T23:59:59.999999Z');
});
