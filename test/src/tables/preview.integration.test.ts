import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFileFinder, type PreviewResponse } from '@quire/tables';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestController } from '../testkit/controller-server.ts';

const data = join(import.meta.dirname, '../../../node_modules/vega-datasets/data');
const MB = 1024 * 1024;

let home: string;
let controller: TestController;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'quire-preview-'));
  await symlink('/etc', join(home, 'etc'));
  await writeFile(join(home, 'big.json'), `[${'{"a":12345678901234567890},'.repeat(100)}{"a":1}]`);
  const finder = createFileFinder({ paths: [data, home], schemes: ['s3'] });
  controller = await TestController.start([], {
    preview: { bodyBytesMax: 32 * MB, limits: {}, concurrencyMax: 1, waitingMax: 0, finder },
  });
});

afterAll(async () => {
  await controller[Symbol.asyncDispose]();
  await rm(home, { recursive: true, maxRetries: 10 });
});

function post(
  body: string,
  as: 'ann' | 'root' = 'root',
  path = '/tables/preview',
): Promise<Response> {
  return controller.call(path, { method: 'POST', body, as });
}

async function preview(request: object, as: 'ann' | 'root' = 'root'): Promise<PreviewResponse> {
  const answer = await post(JSON.stringify(request), as);
  expect(answer.status).toBe(200);
  return (await answer.json()) as PreviewResponse;
}

describe('previews of real data', () => {
  test.each([
    ['stocks.csv', ['symbol STRING', 'date STRING', 'price DOUBLE']],
    [
      'seattle-weather.csv',
      [
        'date STRING',
        'weather STRING',
        'precipitation DOUBLE',
        'temp_max DOUBLE',
        'temp_min DOUBLE',
        'wind DOUBLE',
      ],
    ],
    [
      'flights-3m.parquet',
      ['date TIMESTAMP', 'delay LONG', 'distance LONG', 'origin STRING', 'destination STRING'],
    ],
    ['flights-200k.arrow', ['delay INT', 'distance INT', 'time DOUBLE']],
    ['countries.json', ['_comment STRING', 'year INT', 'n_fertility DOUBLE']],
  ])('previews of real data: %s', async (file, columns) => {
    const answer = await preview({ sourceFiles: [file] });
    const schema = answer.schema as unknown as Readonly<
      Record<string, readonly { name: string; dataType: string }[]>
    >;
    const lists = ['dimensionFieldSpecs', 'dateTimeFieldSpecs', 'metricFieldSpecs'].flatMap(
      (list) => schema[list] ?? [],
    );
    const shown = lists.map(({ name, dataType }) => `${name} ${dataType}`);
    expect(shown).toEqual(expect.arrayContaining(columns));
    expect(answer.summary).toMatchObject({
      getnSourceRows: 100,
      getnRows: 100,
      getnFailedRows: 0,
      getnIncompleteRows: 0,
    });
    expect(answer.findings.filter(({ severity }) => severity === 'error')).toEqual([]);
  });

  test('nested objects become columns', async () => {
    const answer = await preview({ sourceFiles: ['earthquakes.json'] });
    expect(answer.rows[0]?.fieldToValueMap).toMatchObject({
      type: 'FeatureCollection',
      'metadata.status': 200,
    });
    expect(answer.tableConfig).toMatchObject({
      ingestionConfig: { complexTypeConfig: { delimiter: '.' } },
    });
  });

  test('the answer of a preview, sent again, gives the same rows', async () => {
    const first = await preview({
      sourceFiles: ['movies.json'],
      config: { sampling: { max: 20 } },
    });
    const second = await preview(first);
    expect(second.rows).toEqual(first.rows);
    expect(second.schema).toEqual(first.schema);
    expect(second.tableConfig).toEqual(first.tableConfig);
  });
});

test('integers keep all their digits on their way in and out', async () => {
  const answer = await post(
    '{"sourceRows":[{"fieldToValueMap":{"a":9223372036854775807,"b":9007199254740993}}]}',
  );
  const text = await answer.text();
  expect(text).toContain(
    '"rows":[{"nullValueFields":[],"fieldToValueMap":{"a":9223372036854775807,"b":9007199254740993}',
  );
  expect(await (await post('{"sourceFiles":["big.json"]}')).text()).toContain(
    '{"a":12345678901234567890}',
  );
});

test('an integer of millions of digits is refused before it is read', async () => {
  const answer = await post(
    `{"sourceRows":[{"fieldToValueMap":{"a":${'9'.repeat(5_000_000)}}}]}`,
    'ann',
  );
  expect([answer.status, await answer.json()]).toEqual([
    400,
    {
      code: 400,
      error: 'An integer has 5000000 digits; the limit is 1000.',
      reason: 'INVALID_BODY',
    },
  ]);
});

test('a small request for much is answered by a part of it', async () => {
  const names = Array.from({ length: 100 }, (_, index) => `c${index}`);
  const transformConfigs = names.map((columnName) => ({
    columnName,
    transformFunction: "repeat('x', 10000)",
  }));
  const request = {
    schema: {
      schemaName: 'much',
      dimensionFieldSpecs: names.map((name) => ({ name, dataType: 'STRING', maxLength: 10_000 })),
    },
    tableConfig: { tableName: 'much', ingestionConfig: { transformConfigs } },
    sourceRows: Array.from({ length: 2_000 }, (_, id) => ({ fieldToValueMap: { id } })),
  };
  const answer = await post(
    JSON.stringify({ ...request, config: { sampling: { max: 2_000 } } }),
    'ann',
  );
  const text = await answer.text();
  expect(text.length).toBeLessThan(32 * MB);
  const { rows, sourceRows, findings } = JSON.parse(text) as PreviewResponse;
  expect([sourceRows.length, rows.length > 10]).toEqual([2_000, true]);
  expect(findings.map(({ code }) => code)).toEqual(expect.arrayContaining(['SIZE_LIMIT']));
});

describe('what is not allowed is not read:', () => {
  test.each([
    '../package.json',
    '/etc/passwd',
    'etc/passwd',
    `${'../'.repeat(20)}etc/passwd`,
    'file:///etc/passwd',
    's3://bucket/key',
  ])('what is not allowed is not read: %s', async (file) => {
    const answer = await preview({ sourceFiles: [file] });
    expect(answer.sourceRows).toEqual([]);
    expect(answer.findings.map(({ code }) => code)).toEqual([
      file === 'etc/passwd' ? 'NO_FILES' : 'SOURCE_NOT_ALLOWED',
    ]);
  });

  test('files, by who is not an admin', async () => {
    const answer = await preview({ sourceFiles: ['stocks.csv'] }, 'ann');
    expect([answer.sourceRows, answer.findings.map(({ code }) => code)]).toEqual([
      [],
      ['SOURCE_NOT_ALLOWED'],
    ]);
    expect(
      (await preview({ sourceRows: [{ fieldToValueMap: { a: 1 } }] }, 'ann')).rows,
    ).toHaveLength(1);
  });
});

describe('bodies that are not valid are refused with 400, soon:', () => {
  const deep = 200_000;
  test.each([
    ['a list', '[]'],
    ['half of one', '{"sourceRows": ['],
    ['lists that are nested deep', `{"a":${'['.repeat(deep)}${']'.repeat(deep)}}`],
    [
      'the same with a long number',
      `{"a":${'['.repeat(deep)}12345678901234567890${']'.repeat(deep)}}`,
    ],
  ])('bodies that are not valid are refused with 400, soon: %s', async (_name, body) => {
    for (const path of [
      '/tables/preview',
      '/tables/validate',
      '/schemas/validate',
      '/tableConfigs/validate',
    ]) {
      const answer = await post(
        body.length > 1000 && path !== '/tables/preview' ? '[]' : body,
        'root',
        path,
      );
      expect([answer.status, ((await answer.json()) as { reason: string }).reason]).toEqual([
        400,
        'INVALID_BODY',
      ]);
    }
  });

  test('names of prototypes are names like any other', async () => {
    const answer = await post(
      '{"__proto__":{"x":1},"sourceRows":[{"fieldToValueMap":{"__proto__":{"polluted":1},"constructor":2,"a":3}}]}',
    );
    expect(answer.status).toBe(200);
    expect(({} as Readonly<Record<string, unknown>>)['polluted']).toBeUndefined();
  });
});

describe('expressions that ask for too much', () => {
  const sourceRows = [
    { fieldToValueMap: { a: 'x'.repeat(1000), list: Array.from({ length: 2000 }, () => 1) } },
  ];
  test.each([
    ['text that doubles forty times', { transformConfigs: doubling(40) }],
    [
      'an expression that is nested ten thousand deep',
      {
        transformConfigs: [
          {
            columnName: 'c',
            transformFunction: `${'upper('.repeat(10_000)}a${')'.repeat(10_000)}`,
          },
        ],
      },
    ],
    [
      'a regular expression that backtracks',
      {
        transformConfigs: [
          { columnName: 'c', transformFunction: "regexpExtract(a, '(x+x+)+y', 0)" },
        ],
      },
    ],
    [
      'every combination of two thousand by two thousand',
      { complexTypeConfig: { fieldsToUnnest: ['list', 'list2'] } },
    ],
    [
      'scripts',
      {
        transformConfigs: [
          { columnName: 'c', transformFunction: 'Groovy({java.lang.System.exit(1)}, a)' },
        ],
      },
    ],
  ])(
    'expressions that ask for too much: %s: an answer with findings',
    async (_name, ingestionConfig) => {
      const rows = [
        {
          fieldToValueMap: {
            ...sourceRows[0]?.fieldToValueMap,
            list2: sourceRows[0]?.fieldToValueMap.list,
          },
        },
      ];
      const answer = await preview({
        tableConfig: { tableName: 't', ingestionConfig },
        sourceRows: rows,
      });
      const isFound = answer.findings.some(({ severity }) => severity !== 'info');
      expect(isFound || answer.rows.length === 1).toBe(true);
      expect(answer.summary.getnRows).toBeLessThanOrEqual(10_000);
    },
  );
});

function doubling(count: number) {
  return Array.from({ length: count }, (_, index) => {
    const from = index === 0 ? 'a' : `c${index - 1}`;
    return { columnName: `c${index}`, transformFunction: `concat(${from}, ${from})` };
  });
}

describe('checks', () => {
  test('a sound schema is valid, and complete', async () => {
    const answer = await post(
      '{"schemaName":"t","dimensionFieldSpecs":[{"name":"a","dataType":"STRING"}],"x":1}',
      'ann',
      '/schemas/validate',
    );
    expect(await answer.json()).toMatchObject({
      valid: true,
      schema: {
        schemaName: 't',
        primaryKeyColumns: [],
        dimensionFieldSpecs: [{ name: 'a', dataType: 'STRING', maxLength: 512 }],
      },
      unrecognizedProperties: { '/x': 1 },
    });
  });

  test('checks of a broken table tell at once all that is wrong', async () => {
    const body = {
      tableName: 't',
      schema: {
        schemaName: 't',
        dimensionFieldSpecs: [{ name: 'a b' }, { name: 'c', dataType: 'INTEGER' }],
      },
      offline: {
        tableName: 't',
        segmentsConfig: { timeColumnName: 'nowhere', replication: 'many' },
      },
    };
    const answer = (await (
      await post(JSON.stringify(body), 'ann', '/tableConfigs/validate')
    ).json()) as {
      readonly valid: boolean;
      readonly findings: PreviewResponse['findings'];
    };
    expect(answer.valid).toBe(false);
    const paths = answer.findings.map(({ path }) => path);
    expect(paths).toEqual(
      expect.arrayContaining([
        '/offline/segmentsConfig/timeColumnName',
        '/schema/dimensionFieldSpecs/0/name',
        '/schema/dimensionFieldSpecs/1/dataType',
      ]),
    );
  });
});
