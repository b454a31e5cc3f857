import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommand } from '../../../packages/cli/src/run-command.ts';
import { QuireError } from '@quire/core';
import type { TableEngine } from '@quire/core/table-engine';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FakeEnvironment } from '../../../packages/cli/test/fake-environment.ts';
import { cannedEngine } from '../testkit/canned-tables.ts';
import { runAdminCommand, terminal } from './run-admin-command.ts';

let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'quire-commands-'));
  await writeFile(
    join(directory, 'orders.table.json'),
    '{"tableName":"orders","tableType":"OFFLINE","metadata":{"big":9007199254740993}}',
  );
  await writeFile(join(directory, 'orders.schema.json'), '{"schemaName":"orders"}');
  await writeFile(join(directory, 'orders.csv'), 'id\n1\n2\n');
});

afterAll(() => rm(directory, { recursive: true }));

describe('quire tables', () => {
  test('list: a table on a terminal, tabbed lines in a pipe, JSON lines when asked', async () => {
    expect(await runAdminCommand(['tables', 'list'], { environment: terminal })).toEqual({
      exitCode: 0,
      stderr: '',
      stdout: [
        'table            rows  segments   size',
        '───────────────  ────  ────────  ─────',
        'orders_OFFLINE     10         2  200 B',
        'orders_REALTIME    10         2  200 B',
        '',
      ].join('\n'),
    });
    const lines = 'orders_OFFLINE\t10\t2\t200\norders_REALTIME\t10\t2\t200\n';
    expect((await runAdminCommand(['tables', 'list'])).stdout).toBe(
      `table\trows\tsegments\tbytes\n${lines}`,
    );
    expect((await runAdminCommand(['tables', 'list', '--no-header'])).stdout).toBe(lines);
    const [first] = (await runAdminCommand(['tables', 'list', '--json'])).stdout.split('\n');
    expect(JSON.parse(first ?? '')).toEqual({
      tableNameWithType: 'orders_OFFLINE',
      type: 'OFFLINE',
      segmentCount: 2,
      sizeBytes: 200,
      rowCount: 10,
    });
    const empty = { listTables: async () => [] };
    expect(
      (await runAdminCommand(['tables', 'list'], { engine: empty, environment: terminal })).stdout,
    ).toBe('no tables\n');
    expect(await runAdminCommand(['tables', 'list'], { engine: empty })).toEqual({
      exitCode: 0,
      stdout: 'table\trows\tsegments\tbytes\n',
      stderr: '',
    });
  });

  test('quire tables list has the halves that are set aside with their problems, and skips tables that were deleted meanwhile', async () => {
    const engine = {
      listTables: async () =>
        ['orders_OFFLINE', 'orders_REALTIME', 'walks_OFFLINE'].map((tableNameWithType) => ({
          tableNameWithType,
          type: tableNameWithType.endsWith('_OFFLINE')
            ? ('OFFLINE' as const)
            : ('REALTIME' as const),
          isReadOnly: false,
        })),
      listSegments: async (name: string) => {
        if (name === 'walks_OFFLINE') throw new QuireError('TABLE_NOT_FOUND', 'It was deleted.');
        if (name === 'orders_OFFLINE') return cannedEngine.listSegments(name);
        throw new QuireError('TABLE_DAMAGED', `The table ${name} is set aside: torn.`);
      },
    };
    const problem = 'The table orders_REALTIME is set aside: torn.';
    expect(await runAdminCommand(['tables', 'list'], { engine })).toEqual({
      exitCode: 0,
      stdout:
        'table\trows\tsegments\tbytes\norders_OFFLINE\t10\t2\t200\norders_REALTIME\t\\N\t\\N\t\\N\n',
      stderr: `${problem}\n`,
    });
    const json = await runAdminCommand(['tables', 'list', '--json'], { engine });
    expect(json.stderr).toBe('');
    expect(JSON.parse(json.stdout.split('\n')[1] ?? '')).toEqual({
      tableNameWithType: 'orders_REALTIME',
      type: 'REALTIME',
      problem,
    });
  });

  test('quire tables show: size, consumption and lag of each half, and the documents with all digits', async () => {
    expect((await runAdminCommand(['tables', 'show', 'orders'])).stdout).toBe(
      [
        'table\torders_OFFLINE\nrows\t10\nsegments\t2\nsize\t200 B\n',
        'table\torders_REALTIME\nrows\t10\nsegments\t2\nsize\t200 B\nconsumption\trunning\npartitions\t1\nlag\t2\n',
        'schema\t{"schemaName":"orders","dimensionFieldSpecs":[{"name":"id","dataType":"LONG"}]}\n',
        'config OFFLINE\t{"tableName":"orders_OFFLINE","tableType":"OFFLINE","big":9007199254740993}\n',
        'config REALTIME\t{"tableName":"orders_REALTIME","tableType":"REALTIME"}\n',
      ].join(''),
    );
    const { stdout } = await runAdminCommand(['tables', 'show', 'orders_OFFLINE', '--json']);
    expect(stdout).toContain('9007199254740993');
    expect(Object.keys(JSON.parse(stdout) as object)).toEqual([
      'tableName',
      'schema',
      'offline',
      'sizes',
      'consumption',
    ]);
    const laidOut = await runAdminCommand(['tables', 'show', 'orders_OFFLINE'], {
      environment: terminal,
    });
    expect(laidOut.stdout.split('\n').slice(4)).toEqual([
      '',
      'column  type  kind',
      '──────  ────  ─────────',
      'id      LONG  dimension',
      '',
      'config OFFLINE',
      '{',
      '  "tableName": "orders_OFFLINE",',
      '  "tableType": "OFFLINE",',
      '  "big": 9007199254740993',
      '}',
      '',
    ]);
    const { exitCode, stderr } = await runAdminCommand(['tables', 'show', 'lemons']);
    expect([exitCode, stderr]).toEqual([1, "error TABLE_NOT_FOUND: There is no table 'lemons'.\n"]);
  });

  test('show: a partition that no server consumes, one that half of them do, and what is not known', async () => {
    const { partitions, ...consumption } = await cannedEngine.readConsumption('orders_REALTIME');
    const replica = {
      serverName: 'Server_a',
      state: 'CONSUMING' as const,
      currentOffset: 7,
      latestOffset: 9,
      lagMessages: 2,
      lastConsumedMs: null,
      lagMs: null,
    };
    const silent = {
      ...replica,
      serverName: 'Server_b',
      state: 'UNKNOWN' as const,
      currentOffset: null,
      latestOffset: null,
      lagMessages: null,
    };
    const notice = 'Server_b: no answer.';
    const error = 'Server_b: no answer. Apache Pinot says: no response.';
    const engine: Partial<TableEngine> = {
      readConsumption: async () => ({
        ...consumption,
        serversFailingCount: 1,
        partitions: [
          { ...partitions[0]!, replicas: [replica, silent], notice },
          { ...partitions[1]!, state: 'RETRYING', replicas: [silent], error },
        ],
      }),
      listSegments: async (name) => [
        ...(await cannedEngine.listSegments(name)).slice(0, 1),
        ...(await cannedEngine.listSegments(name))
          .slice(1)
          .map((segment) => ({ ...segment, notice: 'Its rows are not known.' })),
      ],
    };
    const { stdout } = await runAdminCommand(['tables', 'show', 'orders_REALTIME'], { engine });
    expect(stdout.split('\n').slice(0, 10)).toEqual([
      'table\torders_REALTIME',
      'rows\t10',
      'segments\t2',
      'size\t200 B',
      'not known\tIts rows are not known.',
      'consumption\tnot running in 1 of 2 partitions',
      'partitions\t2',
      'lag\tnot known yet',
      `partition 0\t${notice}`,
      `partition 1\tRETRYING: ${error}`,
    ]);
    const json = await runAdminCommand(['tables', 'show', 'orders_REALTIME', '--json'], { engine });
    const { consumption: shown } = JSON.parse(json.stdout) as {
      consumption: { segments: Record<string, Record<string, unknown>[]> };
    };
    expect(
      Object.values(shown.segments).map((list) =>
        list.map(({ serverName, consumerState }) => [serverName, consumerState]),
      ),
    ).toEqual([
      [
        ['Server_a', 'CONSUMING'],
        ['Server_b', 'UNKNOWN'],
      ],
      [['Server_b', 'UNKNOWN']],
    ]);
  });

  test('create: sends config and schema as they are, and says all findings', async () => {
    const seen: unknown[] = [];
    const engine: Partial<TableEngine> = {
      createSchema: async (schema) => void seen.push(schema),
      createTable: async (config) => {
        seen.push(config);
        return cannedEngine.createTable(config);
      },
    };
    const [config, schema] = [
      join(directory, 'orders.table.json'),
      join(directory, 'orders.schema.json'),
    ];
    expect(
      await runAdminCommand(['tables', 'create', config, '--schema', schema], { engine }),
    ).toEqual({
      exitCode: 0,
      stdout: 'Created orders_OFFLINE.\n',
      stderr:
        'warning  The schema has no columns.\n         SCHEMA_EMPTY at /schema\ninfo     So.\n         NOTE at /offline\n',
    });
    const big = { metadata: { big: 9_007_199_254_740_993n } };
    expect(seen).toEqual([
      { schemaName: 'orders' },
      { tableName: 'orders_OFFLINE', tableType: 'OFFLINE', ...big },
    ]);
    seen.length = 0;
    await runAdminCommand(['tables', 'create', config, '--json'], { engine });
    expect(seen).toEqual([{ tableName: 'orders_OFFLINE', tableType: 'OFFLINE', ...big }]);

    const findings = ['first', 'second'].map((message) => ({
      path: '/a',
      code: 'BAD',
      message,
      severity: 'error' as const,
    }));
    const refuse = {
      createTable: () =>
        Promise.reject(new QuireError('TABLE_INVALID', 'It is not valid.', { findings })),
    };
    expect(await runAdminCommand(['tables', 'create', config], { engine: refuse })).toEqual({
      exitCode: 1,
      stdout: '',
      stderr:
        'error TABLE_INVALID: It is not valid.\nerror    first\n         BAD at /a\nerror    second\n         BAD at /a\n',
    });
    expect((await runAdminCommand(['tables', 'create', schema])).stderr).toContain(
      'orders.schema.json has no tableName.',
    );
    expect(
      (await runAdminCommand(['tables', 'create', join(directory, 'orders.csv')])).stderr,
    ).toContain('is not JSON');
  });

  test('quire tables delete, and that it is refused to those who may not', async () => {
    expect(await runAdminCommand(['tables', 'delete', 'orders'])).toEqual({
      exitCode: 0,
      stdout: 'Tables: [orders_OFFLINE, orders_REALTIME] deleted.\n',
      stderr: '',
    });
    const asAnn = { environment: { variables: { QUIRE_TOKEN: 'ann-token' } } };
    expect(await runAdminCommand(['tables', 'delete', 'orders'], asAnn)).toMatchObject({
      exitCode: 1,
      stdout: '',
      stderr: expect.stringContaining('FORBIDDEN'),
    });
    expect((await runAdminCommand(['tables', 'delete', '..'])).stderr).toBe(
      "error INVALID_PARAMETER: '..' is not a valid name.\n",
    );
  });

  test('ingest: sends files by their names, has the server read addresses, and ends at the first that fails', async () => {
    const seen: unknown[] = [];
    const engine: Partial<TableEngine> = {
      ingest: async ({ source, ...request }) => {
        if (source.kind === 'bytes') {
          let text = '';
          for await (const chunk of source.body) text += Buffer.from(chunk).toString();
          seen.push({ ...request, name: source.name, text });
        } else seen.push({ ...request, uri: source.uri });
        if (source.kind === 'uri') throw new QuireError('INGESTION_FAILED', 'Row 3 has no time.');
        return { segmentNames: ['orders_0'], rowCount: 2, findings: [] };
      },
    };
    const path = join(directory, 'orders.csv');
    const args = [
      'tables',
      'ingest',
      'orders',
      path,
      's3://in/a.json',
      path,
      '--format',
      'csv',
      '--batch',
      'recordReader.prop.delimiter=;',
    ];
    expect(await runAdminCommand(args, { engine })).toEqual({
      exitCode: 1,
      stdout: `${path}: 2 rows, orders_0\n`,
      stderr: 'error INGESTION_FAILED: Row 3 has no time.\n',
    });
    const request = {
      tableNameWithType: 'orders_OFFLINE',
      batchConfig: { 'recordReader.prop.delimiter': ';', inputFormat: 'csv' },
    };
    expect(seen).toEqual([
      { ...request, name: 'orders.csv', text: 'id\n1\n2\n' },
      { ...request, uri: 's3://in/a.json' },
    ]);
    expect(
      (await runAdminCommand(['tables', 'ingest', 'orders', join(directory, 'none.csv')])).stderr,
    ).toContain('cannot be read: ENOENT');
  });

  test('quire tables pauses, resumes and commits', async () => {
    expect((await runAdminCommand(['tables', 'pause', 'orders', '--comment', 'why'])).stdout).toBe(
      'Paused orders.\n',
    );
    let from: unknown;
    const resumeConsumption: TableEngine['resumeConsumption'] = async (name, options) => {
      from = options?.from;
      return cannedEngine.resumeConsumption(name);
    };
    expect(
      (
        await runAdminCommand(['tables', 'resume', 'orders', '--from', 'smallest'], {
          engine: { resumeConsumption },
        })
      ).stdout,
    ).toBe('Resumed orders.\n');
    expect(from).toBe('smallest');
    let readCount = 0;
    const readForceCommit: TableEngine['readForceCommit'] = async (id) => {
      readCount += 1;
      return {
        ...(await cannedEngine.readForceCommit(id)),
        pendingSegmentNames: readCount < 3 ? ['b'] : [],
      };
    };
    expect(
      (await runAdminCommand(['tables', 'commit', 'orders'], { engine: { readForceCommit } }))
        .stdout,
    ).toBe('2 of 2 segments committed (job c1).\n');
    expect(readCount).toBe(3);
    expect((await runAdminCommand(['tables', 'commit', 'orders', '--no-wait'])).stdout).toBe(
      '1 of 2 segments committed (job c1).\n',
    );
  });
});

test.each([
  [['tables', 'lst'], "unknown command 'lst'"],
  [['tables', 'restream', 'orders'], "required option '--to <table>' not specified"],
  [
    ['tables', 'resume', 'orders', '--from', 'now'],
    'Allowed choices are lastConsumed, smallest, largest.',
  ],
  [['tables', 'ingest', 'orders'], "missing required argument 'file'"],
  [
    ['tables', 'ingest', 'orders', 'a.csv', '--batch', 'x'],
    'Expected a key and a value with = between them.',
  ],
  [['tasks', 'run', 'MergeRollupTask', '--set', 'a=b'], '--set needs --table'],
  [['tasks', 'run', 'MergeRollupTask', '--name', 'b'], '--name is for --set'],
  [['tasks', 'show'], "missing required argument 'task'"],
])('%j is called wrongly: exit code 2, and nothing on standard output', async (args, message) => {
  const environment = new FakeEnvironment();
  expect(await runCommand(args, environment)).toBe(2);
  expect(environment.stdout.text).toBe('');
  expect(environment.stderr.text).toContain(message);
});
