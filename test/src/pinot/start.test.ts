import { startQuire } from '@quire/cli';
import { parseLosslessJson } from '@quire/core';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test, vi } from 'vitest';
import { temporaryDirectory } from '../e2e/cli-process.ts';
import { describeWithTool, pinotServer } from '../toolchain.ts';
import { everythingConfig, everythingRows, everythingSchema } from './everything.ts';
import { loadTable, sharedCluster } from './pinot-cluster.ts';

vi.setConfig({ testTimeout: 120_000 });

interface Answer {
  readonly requestId: string;
  readonly numRowsResultSet: number;
  readonly nextOffsetParams: string | null;
  readonly resultTable: {
    readonly dataSchema: { readonly columnDataTypes: readonly string[] };
    readonly rows: readonly unknown[];
  };
  readonly exceptions: readonly { readonly errorCode: number; readonly message: string }[];
}

/** `quire start` with a broker on the shared cluster, and a hand to call it. */
async function start(more: Readonly<Record<string, string>> = {}) {
  const { controllerUrl, authorization } = sharedCluster();
  const directory = await temporaryDirectory();
  const settings = {
    'engine.broker.client.queryPort': '0',
    'engine.broker.pagination.temp.dir': join(directory.path, 'temp'),
    'engine.auth.principal.ann.role': 'admin',
    'engine.auth.principal.ann.token.env': 'QUIRE_TOKEN',
    'engine.kind': 'pinot',
    'engine.pinot.controller.url': controllerUrl,
    'engine.pinot.auth.token': authorization,
    ...more,
  };
  const file = join(directory.path, 'pinot.properties');
  await writeFile(
    file,
    Object.entries(settings)
      .map(([key, value]) => `${key} = ${value}\n`)
      .join(''),
  );
  const running = await startQuire({
    file,
    roles: ['broker'],
    variables: { QUIRE_TOKEN: 'ann-token' },
    directory: directory.path,
  });
  const headers = { authorization: 'Bearer ann-token', 'content-type': 'application/json' };
  const send = async (path: string, body?: object): Promise<string> => {
    const init = body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) };
    return (await fetch(`${running.addresses.broker?.url}${path}`, init)).text();
  };
  return {
    send,
    query: async (sql: string, parameters = '', body: object = {}) =>
      parseLosslessJson(await send(`/query/sql${parameters}`, { sql, ...body })) as unknown as Answer,
    async [Symbol.asyncDispose]() {
      await running.close();
      await directory[Symbol.asyncDispose]();
    },
  };
}

/** What the cluster itself answers. */
async function askPinot(sql: string, queryOptions = ''): Promise<Answer> {
  const { brokerUrl, authorization } = sharedCluster();
  const headers = { authorization, 'content-type': 'application/json' };
  const response = await fetch(`${brokerUrl}/query/sql`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ sql, queryOptions }),
  });
  return parseLosslessJson(await response.text()) as unknown as Answer;
}

describeWithTool(pinotServer, 'quire start on Apache Pinot', () => {
  beforeAll(async () => {
    await loadTable(sharedCluster(), everythingSchema, [everythingRows], everythingConfig);
    const schema = { schemaName: 'many', dimensionFieldSpecs: [{ name: 'n', dataType: 'INT' }] };
    const rows = Array.from({ length: 25_000 }, (_, n) => ({ n }));
    await loadTable(sharedCluster(), schema, [rows.slice(0, 10_000), rows.slice(10_000, 11_000), rows.slice(11_000)]);
  });

  test.each(['enableNullHandling=true', 'useMultistageEngine=true'])(
    'an answer with every type is, cell by cell, what the cluster says: %s',
    async (queryOptions) => {
      await using quire = await start();
      const sql = 'SELECT * FROM everything ORDER BY row_number';
      const [ours, theirs] = [await quire.query(sql, '', { queryOptions }), await askPinot(sql, queryOptions)];
      expect(theirs.resultTable.rows).toHaveLength(3);
      expect(ours.resultTable).toEqual(theirs.resultTable);
    },
  );

  test('a result is stored once, and read in pages', async () => {
    await using quire = await start();
    const first = await quire.query('SELECT n FROM many ORDER BY n LIMIT 25000', '?doPaginate=true&numRows=10000');
    expect(first).toMatchObject({ numRowsResultSet: 25_000, nextOffsetParams: 'offset=10000&numRows=10000', exceptions: [] });
    const last = JSON.parse(await quire.send(`/query/${first.requestId}/results?offset=24998&numRows=10`)) as Answer;
    expect(last.resultTable.rows).toEqual([[24_998], [24_999]]);
    expect(last.nextOffsetParams).toBeNull();
  });

  test('every statistic is the one that the cluster reports', async () => {
    await using quire = await start();
    const sql = 'SELECT count(*) FROM many WHERE n > 5';
    const { requestId } = await quire.query(sql, '?doPaginate=true');
    const [record] = JSON.parse(await quire.send(`/query/${requestId}/metadata`)) as [Record<string, unknown>];
    const theirs = (await askPinot(sql)) as unknown as Record<string, unknown>;
    const timed = /requestId|brokerId|timeUsedMs|Cpu|reduceTime/i;
    const known = Object.keys(record).filter((name) => name in theirs && !timed.test(name));
    expect(known.length).toBeGreaterThan(24);
    for (const name of known) expect([name, record[name]]).toEqual([name, theirs[name]]);
    expect(record).toMatchObject({ totalDocs: 25_000, numDocsScanned: 24_994, numSegmentsQueried: 3, numServersQueried: 2 });
  });

  test.each([
    ['SELECT n FRM many WHERE', 150, 'SQLParsingError'],
    ['SELECT a FROM nothing', 190, 'TableDoesNotExistError'],
    ['SELECT nothing FROM many', 710, 'nothing'],
  ])('what the cluster refuses is an exception with its number: %s', async (sql, errorCode, words) => {
    await using quire = await start();
    const { exceptions } = await quire.query(sql, '?doPaginate=true');
    expect(exceptions).toEqual([{ errorCode, message: expect.stringContaining(words) }]);
  });

  test('without LIMIT there are as many rows as the cluster gives, or all where the settings say so', async () => {
    const sql = 'SELECT n FROM many';
    await using some = await start();
    expect(await some.query(sql, '?doPaginate=true')).toMatchObject({ numRowsResultSet: 10 });
    await using all = await start({ 'engine.pinot.paginated.limit': 'all' });
    expect(await all.query(sql, '?doPaginate=true')).toMatchObject({ numRowsResultSet: 25_000 });
    expect((await all.query(sql)).resultTable.rows).toHaveLength(10);
    await using parts = await start({ 'engine.pinot.paginated.limit': 'all', 'engine.pinot.segments.enabled': 'true' });
    const result = await parts.query('SELECT n FROM many WHERE n <> 10500', '?doPaginate=true&numRows=30000');
    expect(result.resultTable.rows.flat().toSorted((left, right) => Number(left) - Number(right))).toEqual(
      Array.from({ length: 25_000 }, (_, n) => n).filter((n) => n !== 10_500),
    );
    const [record] = JSON.parse(await parts.send(`/query/${result.requestId}/metadata`)) as [Record<string, unknown>];
    expect(record).toMatchObject({ totalDocs: 25_000, numDocsScanned: 24_999 });
  });

  test('the settings of the README are those of config/pinot, and do as printed', async () => {
    const root = join(import.meta.dirname, '../../..');
    const readme = await readFile(join(root, 'README.md'), 'utf8');
    const [, block = ''] = /```properties\n([^`]*engine\.kind = pinot[^`]*)```/.exec(readme) ?? [];
    const isSet = (line: string): boolean => line !== '' && !line.startsWith('#');
    const printed = block.split('\n').filter(isSet);
    expect(printed).toHaveLength(5);
    expect((await readFile(join(root, 'config/pinot/quire.properties'), 'utf8')).split('\n').filter(isSet)).toEqual(printed);
    const settings = Object.fromEntries(printed.map((line) => line.split(' = ') as [string, string]));
    const { controllerUrl } = sharedCluster();
    await using quire = await start({ ...settings, 'engine.pinot.controller.url': controllerUrl });
    expect(await quire.query('SELECT n FROM many', '?doPaginate=true')).toMatchObject({ numRowsResultSet: 25_000 });
  });

  test('credentials that the cluster does not know are told of in a sentence', async () => {
    await using quire = await start({ 'engine.pinot.auth.token': 'Basic d3Jvbmc6d3Jvbmc=' });
    expect((await quire.query('SELECT n FROM many')).exceptions).toEqual([
      { errorCode: 180, message: expect.stringMatching(/credentials.*HTTP 40[13].*engine\.pinot\.auth\.token/) },
    ]);
  });
});
