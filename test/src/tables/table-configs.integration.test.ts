import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Restreams } from '@quire/controller';
import { QuireError } from '@quire/core';
import type { EmbeddedTableEngine } from '@quire/table-server';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { openEmbeddedTables } from '../testkit/embedded-tables.ts';
import { TestController } from '../testkit/controller-server.ts';

/** The calls of `/tableConfigs`, of a controller over the embedded engine. */

let home: string;
let engine: EmbeddedTableEngine;
let controller: TestController;
const findActive = vi.fn<(table: string) => Promise<{ readonly jobId: string } | undefined>>();

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'quire-table-configs-'));
  await mkdir(join(home, 'streams'));
  await open();
});

afterEach(async () => {
  await close();
  await rm(home, { recursive: true, maxRetries: 10 });
});

async function open(): Promise<void> {
  engine = await openEmbeddedTables({
    dataDirectory: join(home, 'tables'),
    streamDirectory: join(home, 'streams'),
  });
  findActive.mockReset();
  const restreams = { findActive } as unknown as Restreams;
  controller = await TestController.start([], { tables: { engine, restreams } });
}

async function close(): Promise<void> {
  await controller[Symbol.asyncDispose]();
  await engine[Symbol.asyncDispose]();
}

const columns = (...names: readonly string[]) =>
  names.map((name) => ({ name, dataType: 'STRING' }));

const schemaOf = (schemaName: string, ...names: readonly string[]) => ({
  schemaName,
  dimensionFieldSpecs: columns('k', ...names),
  dateTimeFieldSpecs: [
    { name: 'ts', dataType: 'LONG', format: 'EPOCH|MILLISECONDS|1', granularity: 'MILLISECONDS|1' },
  ],
});

const offline = (tableName: string, members: object = {}) => ({
  tableName,
  tableType: 'OFFLINE',
  segmentsConfig: { timeColumnName: 'ts' },
  ...members,
});

const realtime = (tableName: string, members: object = {}) => ({
  tableName,
  tableType: 'REALTIME',
  segmentsConfig: { timeColumnName: 'ts' },
  ingestionConfig: {
    streamIngestionConfig: {
      streamConfigMaps: [{ streamType: 'file', 'stream.file.topic.name': 'x' }],
    },
  },
  ...members,
});

const custom = (change: string) => ({ metadata: { customConfigs: { change } } });

/** Members that no rule refuses, but the embedded engine does. */
const unsupported = {
  ingestionConfig: {
    aggregationConfigs: [{ columnName: 'k', aggregationFunction: 'COUNT(*)' }],
  },
};

/** Members without effect on one machine. */
const noted = { query: { timeoutMs: 1000 } };

interface Answer {
  readonly reason?: string;
  readonly error?: string;
  readonly findings?: readonly { readonly path: string; readonly severity: string }[];
}

async function send(
  method: string,
  path: string,
  body?: object,
): Promise<readonly [number, Answer]> {
  const answer = await controller.call(path, {
    method,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return [answer.status, (await answer.json()) as Answer];
}

function errorPathsOf({ findings }: Answer): readonly string[] | undefined {
  return findings?.filter(({ severity }) => severity === 'error').map(({ path }) => path);
}

async function create(name: string): Promise<void> {
  const [status] = await send('POST', '/tableConfigs', {
    tableName: name,
    schema: schemaOf(name),
    offline: offline(name),
    realtime: realtime(name),
  });
  expect(status).toBe(200);
}

const tableNames = async (): Promise<readonly string[]> =>
  (await engine.listTables()).map(({ tableNameWithType }) => tableNameWithType);

describe('/tableConfigs/{table}', () => {
  test('the name of one half is read, but neither deleted nor replaced', async () => {
    await create('x');
    expect(await send('GET', '/tableConfigs/x_OFFLINE')).toMatchObject([
      200,
      { tableName: 'x', offline: { tableName: 'x_OFFLINE' }, realtime: null },
    ]);
    const refused = [400, { reason: 'INVALID_PARAMETER' }];
    expect(await send('DELETE', '/tableConfigs/x_OFFLINE')).toMatchObject(refused);
    expect(
      await send('PUT', '/tableConfigs/x_OFFLINE', {
        tableName: 'x_OFFLINE',
        schema: schemaOf('x'),
        offline: offline('x'),
      }),
    ).toMatchObject(refused);
    expect(await tableNames()).toEqual(['x_OFFLINE', 'x_REALTIME']);
  });

  test('a refused PUT of table configs changes nothing, and has the findings of all parts below their members', async () => {
    await create('x');
    const wider = { tableName: 'x', schema: schemaOf('x', 'c2') };
    const read = async () => await send('GET', '/tableConfigs/x');
    const before = await read();
    const refusals = [
      [{ offline: offline('x', { tenants: { server: 'nope' } }) }, 'TENANT_NOT_FOUND', undefined],
      [
        {
          offline: offline('x', custom('new')),
          realtime: realtime('x', { tenants: { server: 'nope' } }),
        },
        'TENANT_NOT_FOUND',
        undefined,
      ],
      [
        {
          offline: offline('x', unsupported),
          realtime: realtime('x', { segmentsConfig: { timeColumnName: 'nope' } }),
        },
        'TABLE_INVALID',
        expect.arrayContaining([
          '/offline/ingestionConfig/aggregationConfigs',
          '/realtime/segmentsConfig/timeColumnName',
        ]),
      ],
    ] as const;
    for (const [parts, reason, paths] of refusals) {
      const [status, answer] = await send('PUT', '/tableConfigs/x', { ...wider, ...parts });
      expect([status, answer.reason, errorPathsOf(answer)]).toEqual([400, reason, paths]);
      expect(await read()).toEqual(before);
    }
    const lost = { ...schemaOf('x'), dimensionFieldSpecs: columns('c2') };
    expect(
      await send('PUT', '/tableConfigs/x', {
        tableName: 'x',
        schema: lost,
        offline: offline('x', custom('new')),
      }),
    ).toMatchObject([
      400,
      { reason: 'TABLE_INVALID', findings: [{ path: '/schema/dimensionFieldSpecs/0' }] },
    ]);
    expect(await read()).toEqual(before);
  });

  test('PUT of table configs replaces halves, creates a missing one, and has their findings below their members', async () => {
    const x = { tableName: 'x', schema: schemaOf('x') };
    await engine.createSchema(x.schema);
    expect(await send('PUT', '/tableConfigs/x', { ...x, offline: offline('x') })).toMatchObject([
      404,
      { reason: 'TABLE_NOT_FOUND' },
    ]);
    await engine.createTable(offline('x'));
    const [status, { findings }] = await send('PUT', '/tableConfigs/x', {
      ...x,
      schema: schemaOf('x', 'c2'),
      offline: offline('x', noted),
      realtime: realtime('x', noted),
    });
    expect([status, findings?.map(({ path }) => path)]).toEqual([
      200,
      expect.arrayContaining(['/offline', '/realtime']),
    ]);
    expect(await tableNames()).toEqual(['x_OFFLINE', 'x_REALTIME']);
  });

  test('table configs that are created or replaced have the findings of their schema, each once', async () => {
    const x = {
      tableName: 'x',
      schema: { ...schemaOf('x'), primaryKeyColumns: ['k', 'k'] },
      offline: offline('x', noted),
    };
    for (const [method, path] of [
      ['POST', '/tableConfigs'],
      ['PUT', '/tableConfigs/x'],
    ] as const) {
      const [status, { findings }] = await send(method, path, x);
      expect([status, findings]).toMatchObject([
        200,
        [
          { path: '/offline', code: 'NO_EFFECT', severity: 'info' },
          { path: '/schema/primaryKeyColumns/1', code: 'PRIMARY_KEY_TWICE', severity: 'warning' },
        ],
      ]);
    }
  });

  test('PUT of table configs puts the earlier configs back if a later part fails', async () => {
    await create('x');
    const updateTable = engine.updateTable.bind(engine);
    vi.spyOn(engine, 'updateTable').mockImplementation(async (config) => {
      if (config.tableName === 'x_OFFLINE') return await updateTable(config);
      throw new QuireError('TABLE_INVALID', 'Odd.', {
        findings: [{ path: '/a', code: 'ODD', message: 'Odd.', severity: 'error' }],
      });
    });
    const before = await send('GET', '/tableConfigs/x');
    expect(
      await send('PUT', '/tableConfigs/x', {
        tableName: 'x',
        schema: schemaOf('x'),
        offline: offline('x', custom('new')),
        realtime: realtime('x', custom('new')),
      }),
    ).toMatchObject([400, { reason: 'TABLE_INVALID', findings: [{ path: '/realtime/a' }] }]);
    expect(await send('GET', '/tableConfigs/x')).toEqual(before);
  });

  test('table configs that can be neither created nor all removed again have the first error, and the other', async () => {
    vi.spyOn(engine, 'createTable').mockImplementation(async ({ tableName }) => {
      if (tableName === 'x_OFFLINE') return { tableNameWithType: tableName, findings: [] };
      throw new QuireError('TABLE_INVALID', 'Odd.');
    });
    vi.spyOn(engine, 'deleteTable').mockRejectedValue(new Error('The disk is read-only.'));
    expect(
      await send('POST', '/tableConfigs', {
        tableName: 'x',
        schema: schemaOf('x'),
        offline: offline('x'),
        realtime: realtime('x'),
      }),
    ).toMatchObject([400, { error: 'Odd. Not all of it could be undone. The disk is read-only.' }]);
    expect(await send('GET', '/schemas/x')).toMatchObject([404, {}]);
  });

  test('a half that is replaced alone is checked against the other half, before the schema changes', async () => {
    await create('x');
    const before = await send('GET', '/tableConfigs/x');
    const [status, answer] = await send('PUT', '/tableConfigs/x', {
      tableName: 'x',
      schema: {
        ...schemaOf('x'),
        dateTimeFieldSpecs: ['ts', 'other'].map((name) => ({
          ...schemaOf('x').dateTimeFieldSpecs[0],
          name,
        })),
      },
      offline: offline('x', { segmentsConfig: { timeColumnName: 'other' } }),
    });
    expect([status, errorPathsOf(answer)]).toEqual([
      400,
      ['/offline/segmentsConfig/timeColumnName'],
    ]);
    expect(await send('GET', '/tableConfigs/x')).toEqual(before);
  });

  test('tables that a restream uses are not deleted, neither half', async () => {
    await create('x');
    findActive.mockImplementation(async (name) =>
      name === 'x_REALTIME' ? { jobId: 'j1' } : undefined,
    );
    expect(await send('DELETE', '/tableConfigs/x')).toMatchObject([
      409,
      { reason: 'TABLE_IN_USE' },
    ]);
    expect(await tableNames()).toEqual(['x_OFFLINE', 'x_REALTIME']);
  });

  test('DELETE removes both halves and the schema, also if they are set aside', async () => {
    await create('x');
    await create('y');
    await close();
    const tables = join(home, 'tables', 'tables');
    const path = join(tables, 'x_OFFLINE.json');
    await writeFile(path, (await readFile(path, 'utf8')).slice(0, 20));
    await rm(join(home, 'tables', 'schemas', 'y.json'));
    await open();
    expect(await send('GET', '/tables/x_OFFLINE')).toMatchObject([
      500,
      { reason: 'TABLE_DAMAGED' },
    ]);
    // The other half can still be replaced.
    const x = { tableName: 'x', schema: schemaOf('x') };
    expect(
      await send('PUT', '/tableConfigs/x', { ...x, realtime: realtime('x', custom('new')) }),
    ).toMatchObject([200, {}]);
    expect(await send('PUT', '/tableConfigs/x', { ...x, offline: offline('x') })).toMatchObject([
      500,
      { reason: 'TABLE_DAMAGED' },
    ]);
    for (const name of ['x', 'y']) {
      expect(await send('DELETE', `/tableConfigs/${name}`)).toEqual([
        200,
        { status: `Deleted TableConfigs: ${name}` },
      ]);
    }
    expect([await tableNames(), await engine.listSchemas()]).toEqual([[], []]);
  });

  test('POST of table configs that an engine refuses creates nothing, and has all findings', async () => {
    const [status, answer] = await send('POST', '/tableConfigs', {
      tableName: 'x',
      schema: schemaOf('x'),
      offline: offline('x', { ...unsupported, segmentsConfig: { timeColumnName: 'nope' } }),
      realtime: realtime('x', { tenants: { server: 'nope' } }),
    });
    expect([status, errorPathsOf(answer)]).toEqual([
      400,
      expect.arrayContaining([
        '/offline/ingestionConfig/aggregationConfigs',
        '/offline/segmentsConfig/timeColumnName',
      ]),
    ]);
    expect([await tableNames(), await engine.listSchemas()]).toEqual([[], []]);
  });
});

describe('the parts of /tableConfigs', () => {
  test('the parts of table configs are of the types that their members name', async () => {
    await create('y');
    const asked = { tableName: 'x', schema: schemaOf('x') };
    const { tableType: _type, ...untyped } = realtime('x_REALTIME');
    for (const [member, config, message] of [
      ['offline', realtime('x'), 'offline is the config of a table of type REALTIME'],
      ['offline', untyped, 'offline is the config of a table of type REALTIME'],
      ['realtime', offline('x'), 'realtime is the config of a table of type OFFLINE'],
      ['offline', { ...offline('x'), tableName: 7 }, 'tableName is not a text'],
    ] as const) {
      const [status, { reason, error }] = await send('POST', '/tableConfigs', {
        ...asked,
        [member]: config,
      });
      expect([status, reason, error]).toEqual([
        400,
        'INVALID_BODY',
        expect.stringContaining(message),
      ]);
    }
    const twice = {
      tableName: 'y',
      schema: schemaOf('y'),
      offline: realtime('y', custom('offline')),
      realtime: realtime('y', custom('realtime')),
    };
    expect(await send('PUT', '/tableConfigs/y', twice)).toMatchObject([
      400,
      { reason: 'INVALID_BODY' },
    ]);
    const { tableType: _omitted, ...named } = offline('x_OFFLINE');
    expect(await send('POST', '/tableConfigs', { ...asked, offline: named })).toMatchObject([
      200,
      {},
    ]);
    expect(await tableNames()).toEqual(['x_OFFLINE', 'y_OFFLINE', 'y_REALTIME']);
  });
});

describe('concurrent calls', () => {
  test('two calls of PUT /tableConfigs that add the same half both succeed, and the last one applies', async () => {
    const [schema, other] = [schemaOf('x'), realtime('x')];
    await send('POST', '/tableConfigs', { tableName: 'x', schema, offline: offline('x') });
    const put = (change: string) =>
      send('PUT', '/tableConfigs/x', {
        tableName: 'x',
        schema,
        offline: offline('x', custom(change)),
        realtime: { ...other, ...custom(change) },
      });
    const answers = await Promise.all([put('one'), put('two')]);
    expect(answers.map(([status]) => status)).toEqual([200, 200]);
    const halves = await Promise.all(
      ['x_OFFLINE', 'x_REALTIME'].map(async (name) => (await engine.readTable(name)).config),
    );
    const [first] = halves.map(({ metadata }) => metadata);
    expect(halves.map(({ metadata }) => metadata)).toEqual([first, first]);
    expect([custom('one'), custom('two')]).toContainEqual({ metadata: first });
  });

  test('two calls of POST /schemas?override=true with a new schema both succeed', async () => {
    const isComplete = Promise.withResolvers<void>();
    const createSchema = engine.createSchema.bind(engine);
    let callCount = 0;
    vi.spyOn(engine, 'createSchema').mockImplementation(async (schema, options) => {
      callCount += 1;
      if (callCount === 2) isComplete.resolve();
      await isComplete.promise;
      return createSchema(schema, options);
    });
    const post = () => send('POST', '/schemas?override=true', schemaOf('x'));
    const answers = await Promise.all([post(), post()]);
    expect(answers.map(([status]) => status)).toEqual([200, 200]);
    expect(await engine.listSchemas()).toEqual(['x']);
  });
});
