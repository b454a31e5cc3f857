import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { filesBelow } from '../testkit/files-below.ts';
import { until } from '../testkit/until.ts';
import { LiveTables } from './live-tables.ts';

interface Health {
  readonly status: string;
  readonly problems?: readonly {
    readonly kind: string;
    readonly subject: string;
    readonly problem: string;
  }[];
}

const json = async <Answer>(answer: Promise<Response>): Promise<Answer> =>
  (await (await answer).json()) as Answer;

/** Loads rows into a segment, and returns its name. */
async function load(tables: LiveTables, n: number): Promise<string> {
  const path = `/ingestFromFile?tableNameWithType=sums_OFFLINE&batchConfigMapStr=${encodeURIComponent('{"inputFormat":"json"}')}`;
  const { segmentNames } = await json<{ segmentNames: readonly string[] }>(
    tables.call('POST', path, { n }),
  );
  return segmentNames[0] ?? '';
}

test('a damaged segment is named to the caller, in health, in its metadata and in metrics, until it is deleted', async () => {
  await using tables = await LiveTables.open();
  await tables.call('POST', '/schemas', {
    schemaName: 'sums',
    metricFieldSpecs: [{ name: 'n', dataType: 'LONG' }],
  });
  await tables.call('POST', '/tables', {
    tableName: 'sums',
    tableType: 'OFFLINE',
    segmentsConfig: { replication: '1' },
  });
  const [segment] = [await load(tables, 1), await load(tables, 2)];
  const sql = 'SELECT sum(n) FROM sums';
  expect(await tables.ask(sql)).toEqual([[3]]);
  const files = await filesBelow(join(tables.home, 'tables/data'));
  const file = files.find((path) => path.includes(`${segment}.`)) ?? '';
  const bytes = await readFile(file);
  await writeFile(file, bytes.with(20, (bytes[20] ?? 0) ^ 4));
  const { exceptions } = await json<{ exceptions: unknown }>(
    tables.call('POST', '/query/sql', { sql }, 'broker'),
  );
  const damage =
    /^The table is damaged: (sums_OFFLINE_\S+)\. (The file of this segment of sums_OFFLINE has the checksum .* load its rows again\.)$/;
  expect(exceptions).toEqual([{ errorCode: 450, message: expect.stringMatching(damage) }]);
  const [, name, problem] =
    damage.exec((exceptions as readonly { message: string }[])[0]?.message ?? '') ?? [];
  expect(name).toBe(segment);
  expect(await tables.ask('SELECT 1')).toEqual([[1]]);

  const health = () => json<Health>(tables.call('GET', '/health'));
  await until(async () => (await health()).status === 'degraded', 'health is degraded');
  expect((await health()).problems).toEqual([
    { kind: 'segment', subject: `sums_OFFLINE/${segment}`, problem },
  ]);
  expect(await json(tables.call('GET', `/segments/sums/${segment}/metadata`))).toMatchObject({
    'segment.problem': problem,
  });
  expect(await (await tables.call('GET', '/metrics')).text()).toContain(
    '\nquire_controller_table_problems 1\n',
  );

  expect((await tables.call('DELETE', `/segments/sums_OFFLINE/${segment}`)).status).toBe(200);
  expect(await tables.ask(sql)).toEqual([[2]]);
  await until(async () => (await health()).status === 'ok', 'health is well again');
});
