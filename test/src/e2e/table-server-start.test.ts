import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MiB, systemClock, systemRandom } from '@quire/core';
import { openStream } from '@quire/streams';
import { EmbeddedTableEngine } from '@quire/table-server';
import { createFileFinder } from '@quire/tables';
import { expect, test } from 'vitest';
import { CliProcess } from './cli-process.ts';

const data = join(import.meta.dirname, '../../../node_modules/vega-datasets/data');

test('a broker answers about the tables of the server in its process, and sees what another process has put there', async () => {
  const home = await mkdtemp(join(tmpdir(), 'quire-server-'));
  try {
    await makeStocks(join(home, 'tables'));
    const properties = {
      'engine.broker.client.queryPort': '0',
      'engine.broker.pagination.protocol': 'memory',
      'engine.broker.pagination.temp.dir': join(home, 'temp'),
      'engine.auth.principal.ann.role': 'query',
      'engine.auth.principal.ann.token.env': 'ANN_TOKEN',
      'engine.tables.data.dir': join(home, 'tables'),
    };
    const config = join(home, 'quire.properties');
    await writeFile(
      config,
      Object.entries(properties)
        .map(([key, value]) => `${key} = ${value}\n`)
        .join(''),
    );
    const variables = { ANN_TOKEN: 'ann-has-a-token-of-32-characters' };
    await using command = new CliProcess(['start', '--roles', 'server,broker', '--config', config], { variables });
    const [, url] = await command.untilPrinted(/broker +(http:\/\/\S+)/);
    const ask = async (sql: string): Promise<unknown> => {
      const headers = { authorization: `Bearer ${variables.ANN_TOKEN}`, 'content-type': 'application/json' };
      const answer = await fetch(`${url}/query/sql`, { method: 'POST', headers, body: JSON.stringify({ sql }) });
      const { resultTable, exceptions } = (await answer.json()) as { resultTable?: { rows: unknown }; exceptions: unknown };
      return resultTable?.rows ?? exceptions;
    };
    expect(await ask('SELECT symbol, count(*) FROM stocks GROUP BY symbol ORDER BY symbol')).toEqual([
      ['AAPL', 123],
      ['AMZN', 123],
      ['GOOG', 68],
      ['IBM', 123],
      ['MSFT', 123],
    ]);
    expect(await ask('SELECT count(*) FROM stocks_OFFLINE')).toEqual([[560]]);
    expect(await ask("SELECT * FROM read_parquet('/etc/passwd')")).toEqual([expect.objectContaining({ errorCode: 700 })]);
  } finally {
    await rm(home, { recursive: true, maxRetries: 10 });
  }
});

async function makeStocks(dataDirectory: string): Promise<void> {
  await using engine = await EmbeddedTableEngine.open({
    dataDirectory,
    clock: systemClock,
    random: systemRandom,
    tenants: ['DefaultTenant'],
    host: 'localhost',
    finder: createFileFinder({ paths: [data] }),
    rowBytesMax: MiB,
    graceMs: 60_000,
    openStream: (config) => openStream(config, {}),
  });
  const dimensionFieldSpecs = [
    { name: 'symbol', dataType: 'STRING' },
    { name: 'date', dataType: 'STRING' },
  ];
  const metricFieldSpecs = [{ name: 'price', dataType: 'DOUBLE' }];
  await engine.createSchema({ schemaName: 'stocks', dimensionFieldSpecs, metricFieldSpecs });
  await engine.createTable({ tableName: 'stocks', tableType: 'OFFLINE' });
  const source = { kind: 'uri', uri: 'stocks.csv' } as const;
  await engine.ingest({ tableNameWithType: 'stocks_OFFLINE', source, batchConfig: {} });
}
