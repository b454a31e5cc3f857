import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { QuireClient } from '@quire/client';
import { expect, test } from 'vitest';
import { CliProcess, temporaryDirectory } from '../testkit/cli-process.ts';

const config = join(import.meta.dirname, '../../../config');

test('production.properties starts once it has its secrets and tables, and stops at SIGTERM', async () => {
  await using directory = await temporaryDirectory();
  const at = (name: string): string => join(directory.path, name);
  await writeFile(at('token'), 'a-long-random-token');
  await writeFile(at('table.csv'), 'n,text\n1,one\n2,two\n');
  const places = {
    'engine.auth.principal.operator.token.file': at('token'),
    'engine.broker.client.queryPort': '0',
    'engine.broker.pagination.file.data.dir': at('results'),
    'engine.broker.pagination.temp.dir': at('temp'),
    'engine.table.orders.path': at('table.csv'),
    'engine.table.customers.path': at('table.csv'),
    'engine.table.events.path': at('table.csv'),
    'engine.table.events.format': 'csv',
    // Loopback only: other hosts must not reach the servers of a test.
    'engine.bind.host': '127.0.0.1',
  };
  const set = Object.entries(places).flatMap(([key, value]) => ['--set', `${key}=${value}`]);
  const variables = { QUIRE_DASHBOARD_TOKEN: 'another-long-random-token' };
  const args = [
    'start',
    '--roles',
    'broker',
    '--config',
    join(config, 'production.properties'),
    ...set,
  ];
  await using server = new CliProcess(args, { variables });
  const [, url = ''] = await server.untilPrinted(/broker +(http:\S+)/);

  const client = new QuireClient({ baseUrl: url, token: variables.QUIRE_DASHBOARD_TOKEN });
  const cursor = await client.query('SELECT text FROM orders WHERE n = ?', { parameters: [2] });
  expect([cursor.brokerId, cursor.page.rows]).toEqual([
    expect.stringContaining('broker-1.example.com'),
    [['two']],
  ]);
  server.signal('SIGTERM');
  expect((await server.ended()).exitCode).toBe(0);
});

test('the units run Node itself in directories of systemd, where the settings look for them', async () => {
  const settings = await readFile(join(config, 'production.properties'), 'utf8');
  expect(settings).toContain('engine.broker.pagination.file.data.dir = /var/lib/quire/results\n');
  for (const name of ['broker', 'cleaner']) {
    const unit = await readFile(join(config, `quire-${name}.service`), 'utf8');
    expect(unit).toMatch(
      /^ExecStart=\/usr\/bin\/node .*\/opt\/quire\/node_modules\/@quire\/cli\/bin\/quire\.cjs \w+ --config \/etc\/quire\/quire\.properties$/m,
    );
    expect(unit).toMatch(/^StateDirectory=quire$/m);
  }
});
