import { isQuireError } from '@quire/core';
import { describe, expect, test } from 'vitest';
import { type PreviewOptions, writePreview } from '../../src/index.ts';
import { previewLimits } from '../../src/preview/sample.ts';
import { fileOf } from '../sources/memory-file.ts';
import { codesOf, previewOf, rowsOf } from './preview-of.ts';

const oneColumn = { schemaName: 'orders', dimensionFieldSpecs: [{ name: 'id', dataType: 'INT' }] };

function wide(columnCount: number, transformFunction: string) {
  const names = Array.from({ length: columnCount }, (_, index) => `c${index}`);
  return {
    schema: {
      schemaName: 'orders',
      dimensionFieldSpecs: names.map((name) => ({ name, dataType: 'STRING', maxLength: 20_000 })),
    },
    tableConfig: {
      tableName: 'orders',
      ingestionConfig: {
        transformConfigs: names.map((columnName) => ({ columnName, transformFunction })),
      },
    },
  };
}

function limited(limits: PreviewOptions['limits']): Partial<PreviewOptions> {
  return { limits };
}

async function textOf(pieces: AsyncIterable<string>): Promise<string> {
  let text = '';
  for await (const piece of pieces) text += piece;
  return text;
}

function messageOf(
  findings: readonly { readonly code: string; readonly message: string }[],
  code: string,
): string | undefined {
  return findings.find((finding) => finding.code === code)?.message;
}

describe('what transforms make', () => {
  test.for([
    [2_000, 100],
    [1_000, 500],
  ] as const)(
    'what transforms make: %d rows of %d long texts end where the limit is',
    async ([rowCount, columnCount]) => {
      const sourceRows = rowsOf(...Array.from({ length: rowCount }, (_, id) => ({ id })));
      const preview = await previewOf({ ...wide(columnCount, "repeat('x', 10000)"), sourceRows });
      // The number of values of 10,000 bytes within 64 MiB, each counted when it is created,
      // assigned to its column, and named.
      expect(preview.rows.length).toBeLessThan(previewLimits.rowsBytesMax / (columnCount * 10_000));
      expect(preview.rows.length).toBeGreaterThan(0);
      expect(messageOf(preview.findings, 'SIZE_LIMIT')).toBe(
        `The values computed from the rows exceed 64 MiB; the first ${preview.rows.length} rows are processed, the others are skipped.`,
      );
      const { getnRows, getnFailedRows, getnFilteredRows } = preview.summary;
      expect([getnRows, getnFailedRows, getnFilteredRows]).toEqual([preview.rows.length, 0, 0]);
    },
  );

  test('the values of one row are counted while it is worked on, those that are thrown away among them', async () => {
    const request = { ...wide(50, "length(repeat('x', 1000000))"), sourceRows: rowsOf({ id: 1 }) };
    const preview = await previewOf(request, limited({ rowsBytesMax: 10_000_000 }));
    expect([preview.rows, messageOf(preview.findings, 'SIZE_LIMIT')]).toEqual([
      [],
      'The values computed from the rows exceed 9.54 MiB; the first 0 rows are processed, the others are skipped.',
    ]);
  });

  test('arrays that are doubled over and over end', async () => {
    const transformConfigs = Array.from({ length: 40 }, (_, index) => ({
      columnName: `c${index + 1}`,
      transformFunction: `arrayConcatInt(c${index}, c${index})`,
    }));
    const preview = await previewOf({
      schema: oneColumn,
      tableConfig: { tableName: 'orders', ingestionConfig: { transformConfigs } },
      sourceRows: rowsOf({ c0: [1, 2] }),
    });
    expect(messageOf(preview.findings, 'ROWS_FAILED')).toContain(
      'A list of 131072 elements is too long; at most 100000 are allowed.',
    );
  });

  test('defaults of many columns, rows of lists and long names of nested fields count as well', async () => {
    const limits = limited({ rowsBytesMax: 200_000 });
    const rows = rowsOf(...Array.from({ length: 300 }, (_, id) => ({ id })));
    const columns = Array.from({ length: 300 }, (_, index) => ({
      name: `c${index}`,
      dataType: 'INT',
    }));
    const defaults = await previewOf(
      {
        schema: { schemaName: 'orders', dimensionFieldSpecs: columns },
        tableConfig: { tableName: 'orders' },
        sourceRows: rows,
      },
      limits,
    );
    expect(codesOf(defaults)).toContain('SIZE_LIMIT /sourceRows');

    const nested = (complexTypeConfig: object, row: object) =>
      previewOf(
        {
          schema: oneColumn,
          tableConfig: { tableName: 'orders', ingestionConfig: { complexTypeConfig } },
          sourceRows: rowsOf(row),
        },
        limits,
      );
    const list = Array.from({ length: 2_000 }, (_, index) => index);
    expect(
      codesOf(await nested({ fieldsToUnnest: ['list'] }, { id: 1, list, text: 'x'.repeat(1_000) })),
    ).toContain('SIZE_LIMIT /sourceRows');
    const leaves = Object.fromEntries(list.map((each) => [String(each), each]));
    const long = { id: 1, user: { ['n'.repeat(1_000)]: leaves } };
    expect(codesOf(await nested({}, long))).toContain('SIZE_LIMIT /sourceRows');
    const inList = { id: 1, user: [{ ['n'.repeat(1_000)]: leaves }] };
    expect(codesOf(await nested({ fieldsToUnnest: ['user'] }, inList))).toContain(
      'SIZE_LIMIT /sourceRows',
    );
  });
});

describe('rows of a request', () => {
  test('a value that is too large, too many columns and too long names leave out their row', async () => {
    const request = {
      schema: oneColumn,
      sourceRows: rowsOf(
        { id: 1 },
        { id: 2, x: 'x'.repeat(2_000) },
        { a: 1, b: { c: 1, d: 1 } },
        { id: 5, ['n'.repeat(10_001)]: 1 },
      ),
    };
    const preview = await previewOf(request, limited({ valueBytesMax: 1024, columnsMax: 4 }));
    expect(preview.sourceRows).toHaveLength(1);
    expect(preview.findings.filter(({ path }) => path.startsWith('/sourceRows/'))).toMatchObject([
      {
        path: '/sourceRows/1',
        message: 'It has a value of 1.96 KiB in x; at most 1 KiB are allowed. The row is skipped.',
      },
      {
        path: '/sourceRows/2',
        message: 'With it there are more than 4 columns. The row is skipped.',
      },
      { path: '/sourceRows/3', code: 'NAME_TOO_LONG' },
    ]);
  });

  test('all values of a request together are limited', async () => {
    const rows = Array.from({ length: 10 }, (_, id) => ({ id, text: 'x'.repeat(1_000) }));
    const preview = await previewOf(
      { schema: oneColumn, sourceRows: rowsOf(...rows) },
      limited({ rowsBytesMax: 3_500 }),
    );
    expect([preview.sourceRows.length, codesOf(preview)]).toEqual([
      3,
      expect.arrayContaining(['SIZE_LIMIT /sourceRows/3']),
    ]);
  });

  test('texts with millions of digits are not read as numbers', async () => {
    const digits = '9'.repeat(1_000_000);
    const transforms = [
      'a > 5',
      `a > ${digits}`,
      'plus(a, 1)',
      "jsonExtractScalar(j, '$.n', 'LONG', 0)",
    ];
    const preview = await previewOf({
      schema: {
        schemaName: 'orders',
        dimensionFieldSpecs: [
          { name: 'a', dataType: 'LONG' },
          { name: 'c0', dataType: 'BOOLEAN' },
        ],
      },
      tableConfig: {
        tableName: 'orders',
        ingestionConfig: {
          continueOnError: true,
          transformConfigs: transforms.map((transformFunction, index) => ({
            columnName: `c${index}`,
            transformFunction,
          })),
        },
      },
      sourceRows: rowsOf(
        ...Array.from({ length: 8 }, () => ({ a: digits, j: `{"n": ${digits}}` })),
      ),
    });
    expect(preview.rows.map(({ fieldToValueMap }) => fieldToValueMap['c0'])).toEqual(
      Array.from({ length: 8 }, () => true),
    );
  });
});

describe('the answer', () => {
  test('rows that would make it too long are left out, and a finding tells how many are in it', async () => {
    const rows = Array.from({ length: 400 }, (_, id) => ({ id, text: 'é'.repeat(100) }));
    const schema = {
      schemaName: 'orders',
      dimensionFieldSpecs: [...oneColumn.dimensionFieldSpecs, { name: 'text', dataType: 'STRING' }],
    };
    const preview = await previewOf({ schema, sourceRows: rowsOf(...rows) });
    const text = await textOf(writePreview(preview, { bytesMax: 70_000 }));
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(70_000);
    const sent = JSON.parse(text) as typeof preview;
    expect(sent.sourceRows.length).toBeGreaterThan(20);
    expect(sent.rows.length).toBeGreaterThan(20);
    expect(messageOf(sent.findings, 'ANSWER_CUT')).toBe(
      `The response would exceed 68.4 KiB: it contains ${sent.sourceRows.length} of 400 source rows and ${sent.rows.length} of 400 table rows.`,
    );
    expect(sent.summary.getnRows).toBe(400);
  });

  test('the answer is refused where it is too long without any row', async () => {
    const preview = await previewOf({ ...wide(200, 'a'), sourceRows: [] });
    const attempt = () => writePreview(preview, { bytesMax: 10_000 });
    expect(attempt).toThrow(
      /^The preview has [\d.]+ KiB without its rows; at most 9.77 KiB are allowed\./,
    );
    expect(attempt).toThrow(expect.toSatisfy((error) => isQuireError(error, 'INVALID_BODY')));
  });

  test('a config that is wrong in every line has a thousand findings, and their number', async () => {
    const preview = await previewOf({ ...wide(1_100, 'noSuchFunction(a)'), sourceRows: [] });
    expect(preview.findings).toHaveLength(1_001);
    expect(messageOf(preview.findings, 'FINDINGS_CUT')).toMatch(
      /^There are \d{4,} findings; 1000 are shown, in the order of their paths\.$/,
    );
  });
});

test('a preview says that the table reads none of the fields', async () => {
  const schema = { schemaName: 's', dimensionFieldSpecs: [{ name: 'city', dataType: 'STRING' }] };
  const preview = async (csv: string, more: object = {}) => {
    const finder = { find: () => Promise.resolve({ files: [fileOf('s.csv', csv)] }) };
    return (await previewOf({ sourceFiles: ['s.csv'], schema, ...more }, { finder })).findings;
  };
  const semicolons = 'city;n\nBern;1\n';
  expect(messageOf(await preview(semicolons), 'NO_FIELD_READ')).toBe(
    "None of the fields is a column of the table: a row has 'city;n'; the table has 'city'. Perhaps recordReader.prop.delimiter should be ';'.",
  );
  expect(messageOf(await preview('town;x,n\nBern,1\n'), 'NO_FIELD_READ')).toBe(
    "None of the fields is a column of the table: a row has 'town;x', 'n'; the table has 'city'.",
  );
  const filled = {
    tableConfig: {
      tableName: 's',
      ingestionConfig: {
        transformConfigs: [{ columnName: 'city', transformFunction: "'Bern'" }],
      },
    },
  };
  expect(await preview(semicolons, filled)).toEqual([]);
  expect(await preview('city,n\nBern,1\n')).toEqual([]);
  const options = {
    batchConfig: { inputFormat: 'CSV', 'recordReader.prop.delimiter': ';' },
    finder: { find: () => Promise.resolve({ files: [fileOf('s.json', semicolons)] }) },
  };
  const read = await previewOf({ sourceFiles: ['s.json'] }, options);
  expect(read).toMatchObject({ findings: [], sourceRows: [{ fieldToValueMap: { city: 'Bern' } }] });
  // Names of JSON may have any characters, and cells delimiters.
  for (const file of [fileOf('s.jsonl', '{"a;b":1}\n'), fileOf('s.csv', 'a,b\n1;2,3\n')]) {
    const finder = { find: () => Promise.resolve({ files: [file] }) };
    expect((await previewOf({ sourceFiles: ['s'] }, { finder })).findings).toEqual([]);
  }
  const unread = { ...options, batchConfig: { inputFormat: 'xlsx' } };
  await expect(previewOf({ sourceFiles: ['s.json'] }, unread)).rejects.toThrow(
    /^inputFormat = xlsx: expected one of csv, tsv, json, /,
  );
});

test('a preview says what happens to rows that cannot be read, and to cells without a column', async () => {
  const found = [fileOf('a.jsonl', '{"a":1}\nno\n'), fileOf('b.csv', 'a;b\n1,2;3\n')];
  const preview = await previewOf(
    { sourceFiles: ['*'] },
    { finder: { find: () => Promise.resolve({ files: found }) } },
  );
  expect(messageOf(preview.findings, 'ROW_UNREADABLE')).toBe(
    'Row 2 of a.jsonl is not JSON. The row is skipped.',
  );
  expect(messageOf(preview.findings, 'ROW_TOO_WIDE')).toBe(
    "Row 1 of b.csv has 2 cells, not 1. Perhaps recordReader.prop.delimiter should be ';'. The other cells are ignored.",
  );
});

test('a row of a file with an integer of too many digits, or a value too large, is left out', async () => {
  const lines = [
    '{"a": 1}',
    `{"a": ${'9'.repeat(2_000)}}`,
    `{"a": "${'x'.repeat(3_000)}"}`,
    '{"a": 2}',
  ];
  const finder = {
    find: () => Promise.resolve({ files: [fileOf('a.jsonl', lines.join('\n'), 1000)] }),
  };
  const preview = await previewOf(
    { sourceFiles: ['a.jsonl'] },
    { finder, limits: { valueBytesMax: 2048 } },
  );
  expect(preview.sourceRows.map(({ fieldToValueMap }) => fieldToValueMap)).toEqual([
    { a: 1 },
    { a: 2 },
  ]);
  expect(messageOf(preview.findings, 'NUMBER_TOO_LONG')).toBe(
    'Row 2 of a.jsonl: An integer has 2000 digits; the limit is 1000. The row is skipped.',
  );
  expect(messageOf(preview.findings, 'VALUE_TOO_LARGE')).toBe(
    'Row 2 of a.jsonl: It has a value of 2.94 KiB in a; at most 2 KiB are allowed. The row is skipped.',
  );
});
