import { parseLosslessJson } from '@quire/core';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeWithTool, pinotServer } from '../testkit/toolchain.ts';
import { everythingConfig, everythingRows, everythingSchema } from './everything.ts';
import { loadTable, sharedCluster } from './pinot-cluster.ts';
import { type QueryAnswer, type QuireOnPinot, startOnPinot } from './quire-on-pinot.ts';

/** What the cluster itself answers. */
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
    expect(record).toMatchObject({ totalDocs: 25_000, numDocsScanned: 24_999 });
  });

  test('the settings of the README are those of config/pinot, and do as printed', async () => {
    const root = join(import.meta.dirname, '../../..');
    const readme = await readFile(join(root, 'README.md'), 'utf8');
    const [, block = ''] = /```properties\n([^`]*engine\.kind = pinot[^`]*)```/.exec(readme) ?? [];
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

  test('credentials that the cluster does not know are told of in a sentence', async () => {
    await using stranger = await startOnPinot({
      'engine.pinot.auth.token': 'Basic d3Jvbmc6d3Jvbmc=',
    });
    expect((await stranger.query('SELECT n FROM many')).exceptions).toEqual([
      {
        errorCode: 180,
        message: expect.stringMatching(
          /^Apache Pinot does not .* credentials that it was given \(HTTP 40[13]\); look at engine\.pinot\.auth\.token\.$/,
        ),
      },
    ]);
  });
});
