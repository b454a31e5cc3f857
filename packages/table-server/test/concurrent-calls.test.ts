import { join } from 'node:path';
import { type MessageStream, openStream } from '@quire/streams';
import { expect, test } from 'vitest';
import { configOf, Orders } from './orders.ts';

/** Calls of clients that meet: each has its effect, or is refused. */

/** The stream of `orders`, and an action that runs when its partitions were read the next time. */
class ObservedOrders {
  onRead: (() => Promise<void>) | undefined;

  async open(): Promise<Orders> {
    const orders: Orders = await Orders.open({
      openStream: (config) =>
        this.#observed(
          openStream(config, { fileDirectory: join(orders.server.directory, 'streams') }),
        ),
    });
    return orders;
  }

  #observed(stream: MessageStream): MessageStream {
    return {
      description: stream.description,
      fetch: (...given) => stream.fetch(...given),
      findOffset: (...given) => stream.findOffset(...given),
      countMessages: (...given) => stream.countMessages(...given),
      [Symbol.asyncDispose]: () => stream[Symbol.asyncDispose](),
      readPartitions: async (options) => {
        const offsets = await stream.readPartitions(options);
        const { onRead } = this;
        this.onRead = undefined;
        await onRead?.();
        return offsets;
      },
    };
  }
}

test('a table that is resumed at the largest offset has the messages once that it consumes meanwhile', async () => {
  const observed = new ObservedOrders();
  await using orders = await observed.open();
  await orders.server.engine.createTable(configOf());
  await orders.append(3);
  await orders.untilRows(3);
  observed.onRead = async () => {
    await orders.append(2);
    await orders.untilRows(5);
  };
  await orders.server.engine.resumeConsumption('orders_REALTIME', { from: 'largest' });
  await orders.append(1);
  await expect
    .poll(() => orders.server.value('SELECT CAST(max(n) AS INTEGER) FROM orders'))
    .toBe(6);
  expect(await orders.summaries()).toEqual(orders.eachOnce);
});
