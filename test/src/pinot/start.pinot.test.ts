import { parseLosslessJson } from '@quire/core';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeWithTool, pinotServer } from '../testkit/toolchain.ts';
import { everythingConfig, everythingRows, everythingSchema } from './everything.ts';
import { loadTable, sharedCluster } from './pinot-cluster.ts';
import { type QueryAnswer, type QuireOnPinot, startOnPinot } from './quire-on-pinot.ts';

/** Returns the cluster's own answer. */
async function askPinot(sql: string, queryOptions = ''): Promise<QueryAnswer> {
  const { brokerUrl, authorization } = sharedCluster();
  const headers = { authorization, 'content-type': 'application/json' };
  const response = await fetch(`${brokerUrl}/query/sql`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ sql, queryOptions }),
  });
  return parseLosslessJson(await response.text()) as unknown as QueryAnswer;
}

describeWithTool(pinotServer, 'quire start on Apache Pinot', () => {
  let quire: QuireOnPinot;
  beforeAll(async () => {
    await loadTable(sharedCluster(), everythingSchema, [everythingRows], everythingConfig);
    const schema = { schemaName: 'many', dimensionFieldSpecs: [{ name: 'n', dataType: 'INT' }] };
    const rows = Array.from({ length: 25_000 }, (_, n) => ({ n }));
    await loadTable(sharedCluster(), schema, [
      rows.slice(0, 10_000),
      rows.slice(10_000, 11_000),
      rows.slice(11_000),
    ]);
    quire = await startOnPinot();
  });
  afterAll(() => quire[Symbol.asyncDispose]());

  test.each(['enableNullHandling=true', 'useMultistageEngine=true'])(
    'an answer with every type is, cell by cell, what the cluster says: %s',
    async (queryOptions) => {
      const sql = 'SELECT * FROM everything ORDER BY row_number';
      const [ours, theirs] = [
        await quire.query(sql, '', { queryOptions }),
        await askPinot(sql, queryOptions),
      ];
      expect({ ours: ours.exceptions, theirs: theirs.exceptions }).toEqual({
        ours: [],
        theirs: [],
      });
      expect(theirs.resultTable.rows).toHaveLength(3);
      expect(ours.resultTable).toEqual(theirs.resultTable);
    },
  );

  test('a result is stored once, and read in pages', async () => {
    const first = await quire.query(
      'SELECT n FROM many ORDER BY n LIMIT 25000',
      '?doPaginate=true&numRows=10000',
    );
    expect(first).toMatchObject({
      numRowsResultSet: 25_000,
      nextOffsetParams: 'offset=10000&numRows=10000',
      exceptions: [],
    });
    const last = JSON.parse(
      await quire.send(`/query/${first.requestId}/results?offset=24998&numRows=10`),
    ) as QueryAnswer;
    expect(last.resultTable.rows).toEqual([[24_998], [24_999]]);
    expect(last.nextOffsetParams).toBeNull();
  });

  test('every statistic of a query is the one that the cluster reports', async () => {
    const sql = 'SELECT count(*) FROM many WHERE n > 5';
    const { requestId } = await quire.query(sql, '?doPaginate=true');
    const [record] = JSON.parse(await quire.send(`/query/${requestId}/metadata`)) as [
      Record<string, unknown>,
    ];
    const theirs = (await askPinot(sql)) as unknown as Record<string, unknown>;
    const timed = /requestId|brokerId|timeUsedMs|Cpu|reduceTime/i;
    const known = Object.keys(record).filter((name) => name in theirs && !timed.test(name));
    expect(known.length).toBeGreaterThan(24);
    for (const name of known) expect([name, record[name]]).toEqual([name, theirs[name]]);
    expect(record).toMatchObject({
      totalDocs: 25_000,
      numDocsScanned: 24_994,
      numSegmentsQueried: 3,
      numServersQueried: 2,
    });
  });

  test.each([
    ['SELECT n FRM many WHERE', 150, 'SQLParsingError'],
    ['SELECT a FROM nothing', 190, 'TableDoesNotExistError'],
    ['SELECT nothing FROM many', 710, 'nothing'],
  ])(
    'what the cluster refuses is an exception with its number: %s',
    async (sql, errorCode, words) => {
      const { exceptions } = await quire.query(sql, '?doPaginate=true');
      expect(exceptions).toEqual([{ errorCode, message: expect.stringContaining(words) }]);
    },
  );

  test('quire start on Apache Pinot gives as many rows without LIMIT as the cluster gives, or all where the settings say so', async () => {
    const sql = 'SELECT n FROM many';
    expect(await quire.query(sql, '?doPaginate=true')).toMatchObject({ numRowsResultSet: 10 });
    await using all = await startOnPinot({ 'engine.pinot.paginated.limit': 'all' });
    expect(await all.query(sql, '?doPaginate=true')).toMatchObject({ numRowsResultSet: 25_000 });
    expect((await all.query(sql)).resultTable.rows).toHaveLength(10);
    await using parts = await startOnPinot({
      'engine.pinot.paginated.limit': 'all',
      'engine.pinot.segments.enabled': 'true',
    });
    const result = await parts.query(
      'SELECT n FROM many WHERE n <> 10500',
      '?doPaginate=true&numRows=30000',
    );
    expect(
      result.resultTable.rows.flat().toSorted((left, right) => Number(left) - Number(right)),
    ).toEqual(Array.from({ length: 25_000 }, (_, n) => n).filter((n) => n !== 10_500));
    const [record] = JSON.parse(await parts.send(`/query/${result.requestId}/metadata`)) as [
      Record<string, unknown>,
    ];
    expect(record).toMatchObject({
      totalDocs: 25_000,
      numDocsScanned: 24_999,
      numSegmentsQueried: 3,
      numSegmentsProcessed: 3,
      numSegmentsMatched: 3,
      numServersQueried: 2,
    });
  });

  test('the settings of the guide are those of config/pinot, and do as printed', async () => {
    const root = join(import.meta.dirname, '../../..');
    const guide = await readFile(join(root, 'docs/guides/pinot.md'), 'utf8');
    const [, block = ''] = /```properties\n([^`]*engine\.kind = pinot[^`]*)```/.exec(guide) ?? [];
    const isSet = (line: string): boolean => line !== '' && !line.startsWith('#');
    const printed = block.split('\n').filter(isSet);
    expect(printed).toHaveLength(5);
    expect(
      (await readFile(join(root, 'config/pinot/quire.properties'), 'utf8'))
        .split('\n')
        .filter(isSet),
    ).toEqual(printed);
    const settings = Object.fromEntries(
      printed.map((line) => line.split(' = ') as [string, string]),
    );
    const { controllerUrl } = sharedCluster();
    await using printedQuire = await startOnPinot({
      ...settings,
      'engine.pinot.controller.url': controllerUrl,
    });
    expect(await printedQuire.query('SELECT n FROM many', '?doPaginate=true')).toMatchObject({
      numRowsResultSet: 25_000,
    });
  });

  test('health says whether the cluster answers, and a server starts where an address is not what it should be', async () => {
    const { brokerUrl, controllerUrl } = sharedCluster();
    const checkedAt = expect.stringMatching(/^2\d{3}-/);
    const engine = { state: 'ok', checkedAt, problem: null };
    // Brokers of other suites join and leave the cluster; only the permanent one is checked.
    await using right = await startOnPinot({ 'engine.pinot.broker.url': brokerUrl });
    for (const role of ['broker', 'controller'] as const) {
      expect(await right.health(role)).toMatchObject({ status: 'ok', engine });
    }
    await using mistaken = await startOnPinot({
      'engine.pinot.controller.url': `${brokerUrl}, ${controllerUrl}`,
      'engine.pinot.broker.url': `${controllerUrl}, ${brokerUrl}`,
    });
    for (const role of ['broker', 'controller'] as const) {
      expect(await mistaken.health(role)).toMatchObject({
        status: 'degraded',
        engine: {
          state: 'degraded',
          checkedAt,
          problem:
            'The configured controller does not answer as one of Apache Pinot: /version returned HTTP 404. ' +
            'The configured broker does not answer as one of Apache Pinot: /query/sql returned HTTP 404.',
        },
      });
    }
  });

  test('documents are held to all rules before the cluster sees them; its own words come after', async () => {
    const name = 'refused_documents';
    const schema = {
      schemaName: name,
      dimensionFieldSpecs: [
        { name: 'a', dataType: 'INT' },
        { name: 'b', dataType: 'INT' },
      ],
      dateTimeFieldSpecs: [
        {
          name: 'ts',
          dataType: 'LONG',
          format: 'EPOCH|MILLISECONDS|1',
          granularity: 'MILLISECONDS|1',
        },
      ],
    };
    const badSchema = {
      schemaName: name,
      dimensionFieldSpecs: [{ name: 'a b', dataType: 'INT' }],
      primaryKeyColumns: ['c'],
    };
    const pathsOf = (body: unknown): readonly string[] =>
      (body as { findings?: { path: string }[] }).findings?.map(({ path }) => path).toSorted() ??
      [];
    const refusedSchema = await quire.tell('POST', '/schemas', badSchema);
    expect(refusedSchema.status).toBe(400);
    expect(pathsOf(refusedSchema.body)).toEqual([
      '/dimensionFieldSpecs/0/name',
      '/primaryKeyColumns/0',
    ]);
    expect(await quire.tell('POST', '/schemas', schema)).toMatchObject({ status: 200 });
    const config = { tableName: `${name}_OFFLINE`, tableType: 'OFFLINE' };
    const bad = {
      ...config,
      segmentsConfig: { replication: '-1' },
      tableIndexConfig: { sortedColumn: ['a', 'b'] },
      task: {
        taskTypeConfigsMap: { MergeRollupTask: { '1day.mergeType': 'bogus' }, NoSuchTask: {} },
      },
    };
    const expectedIn = (part: string): unknown =>
      expect.arrayContaining(
        [
          '/segmentsConfig/replication',
          '/tableIndexConfig/sortedColumn',
          '/task/taskTypeConfigsMap/MergeRollupTask',
          '/task/taskTypeConfigsMap/NoSuchTask',
        ].map((path) => expect.stringMatching(new RegExp(`^${part}${path}`))),
      );
    const expected = expectedIn('');
    const refused = await quire.tell('POST', '/tables', bad);
    expect([refused.status, pathsOf(refused.body)]).toEqual([400, expected]);
    // All parts at once, before any of them exists.
    const together = await quire.tell('POST', '/tableConfigs', {
      tableName: `${name}2`,
      schema: { ...badSchema, schemaName: `${name}2` },
      offline: { ...bad, tableName: `${name}2_OFFLINE` },
      realtime: { ...bad, tableName: `${name}2_REALTIME`, tableType: 'REALTIME' },
    });
    expect([together.status, pathsOf(together.body)]).toEqual([400, expectedIn('/offline')]);
    expect(pathsOf(together.body)).toEqual(expectedIn('/realtime'));
    expect(pathsOf(together.body)).toEqual(
      expect.arrayContaining(['/schema/dimensionFieldSpecs/0/name', '/schema/primaryKeyColumns/0']),
    );
    expect((await quire.tell('GET', `/schemas/${name}2`)).status).toBe(404);
    expect((await quire.tell('POST', '/tables', config)).status).toBe(200);
    const replaced = await quire.tell('PUT', `/tables/${name}`, bad);
    expect([replaced.status, pathsOf(replaced.body)]).toEqual([400, expected]);
    expect(await quire.tell('GET', `/tables/${name}`)).toMatchObject({
      body: { OFFLINE: { segmentsConfig: { replication: '1' } } },
    });
    // What Apache Pinot accepts is created, as on the embedded engine, with a finding for each.
    const periods = { '1day.bucketTimePeriod': '1d', '1day.bufferTimePeriod': '1d' };
    const merging = { MergeRollupTask: { ...periods, '1day.mergeType': 'bogus' } };
    for (const [path, member] of [
      ['/segmentsConfig/replication', { segmentsConfig: { replication: '-1' } }],
      ['/tableIndexConfig/sortedColumn', { tableIndexConfig: { sortedColumn: ['a', 'b'] } }],
      [
        '/task/taskTypeConfigsMap/MergeRollupTask/1day.mergeType',
        {
          segmentsConfig: { replication: '1', timeColumnName: 'ts' },
          task: { taskTypeConfigsMap: merging },
        },
      ],
    ] as const) {
      expect(await quire.tell('PUT', `/tables/${name}`, { ...config, ...member })).toMatchObject({
        status: 200,
        body: { findings: [{ path, severity: 'warning' }] },
      });
    }
    expect((await quire.tell('DELETE', `/tables/${name}`)).status).toBe(200);
    expect((await quire.tell('DELETE', `/schemas/${name}`)).status).toBe(200);
  });

  test('credentials that the cluster does not know are told of in a sentence', async () => {
    await using stranger = await startOnPinot({
      'engine.pinot.auth.token': 'Basic d3Jvbmc6d3Jvbmc=',
      'engine.pinot.broker.url': sharedCluster().brokerUrl,
    });
    const words =
      'Apache Pinot (?:rejected the credentials|does not permit this call with these credentials) \\(HTTP 40[13]\\)\\.';
    const hint = ' The address is http://[\\d.:]+; check engine\\.pinot\\.auth\\.token .*\\.';
    const message = (text: string) => expect.stringMatching(new RegExp(`^${text}$`));
    // The message names the address for an admin only.
    expect((await stranger.query('SELECT n FROM many')).exceptions).toEqual([
      { errorCode: 180, message: message(words + hint) },
    ]);
    expect((await stranger.queryAsReader('SELECT n FROM many')).exceptions).toEqual([
      { errorCode: 180, message: message(words) },
    ]);
    const problem = message(words);
    expect(await stranger.health('broker')).toMatchObject({
      status: 'degraded',
      engine: { state: 'unavailable', problem },
    });
  });
});
