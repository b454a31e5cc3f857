import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { LiveTables } from '../tables/live-tables.ts';

const schema = {
  schemaName: 'orders',
  dimensionFieldSpecs: [{ name: 'id', dataType: 'LONG' }],
  metricFieldSpecs: [{ name: 'amount', dataType: 'DOUBLE' }],
};
const sums = 'SELECT count(*), sum(amount) FROM orders';

test('a server that gets a copy of the directory of tables has the tables as they were copied', async () => {
  await using original = await LiveTables.open();
  await original.create('/schemas', schema);
  await original.create('/tables', { tableName: 'orders', tableType: 'OFFLINE' });
  await original.ingestRows('orders_OFFLINE', [
    { id: 1, amount: 2.5 },
    { id: 2, amount: 4 },
  ]);
  expect(await original.ask(sums)).toEqual([[2, 6.5]]);
  // Killed at any moment, as in a snapshot of its file system.
  await original.kill();
  const backup = join(original.home, 'backup');
  await cp(join(original.home, 'tables'), backup, { recursive: true });

  await original.start();
  await original.ingestRows('orders_OFFLINE', [{ id: 3, amount: 1 }]);
  expect(await original.ask(sums)).toEqual([[3, 7.5]]);

  await using other = await LiveTables.open();
  await other.kill();
  await rm(join(other.home, 'tables'), { recursive: true });
  await cp(backup, join(other.home, 'tables'), { recursive: true });
  await other.start();
  expect(await other.ask(sums)).toEqual([[2, 6.5]]);
  await other.ingestRows('orders_OFFLINE', [{ id: 4, amount: 10 }]);
  expect(await other.ask(sums)).toEqual([[3, 16.5]]);
});
