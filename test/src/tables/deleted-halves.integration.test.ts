import { QuireError } from '@quire/core';
import { expect, test } from 'vitest';
import { cannedEngine, cannedRestreams } from '../testkit/canned-tables.ts';
import { TestController } from '../testkit/controller-server.ts';

const paths = ['/tables/orders', '/tables/orders/size', '/segments/orders', '/tableConfigs/orders'];

/** Starts a controller whose tables are deleted between the listing and the reading of them. */
function startedWithout(deleted: readonly string[]): Promise<TestController> {
  const assertThere = (name: string): void => {
    if (deleted.includes(name)) throw new QuireError('TABLE_NOT_FOUND', `There is no ${name}.`);
  };
  const engine = {
    ...cannedEngine,
    readTable: async (name: string) => {
      assertThere(name);
      return cannedEngine.readTable(name);
    },
    listSegments: async (name: string) => {
      assertThere(name);
      return cannedEngine.listSegments(name);
    },
  };
  return TestController.start([], { tables: { engine, restreams: cannedRestreams } });
}

test.each(paths)(
  '%s answers with the half that exists while the other is deleted',
  async (path) => {
    await using controller = await startedWithout(['orders_OFFLINE']);
    const response = await controller.call(path);
    expect(response.status).toBe(200);
    expect(await response.text()).toMatch(/realtime/i);
  },
);

test.each(paths)('%s answers with 404 while both halves are deleted', async (path) => {
  await using controller = await startedWithout(['orders_OFFLINE', 'orders_REALTIME']);
  expect((await controller.call(path)).status).toBe(404);
});
