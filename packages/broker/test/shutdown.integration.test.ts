import { Agent, type IncomingMessage, request } from 'node:http';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { CursorResponse } from '@quire/api';
import { expect, test } from 'vitest';
import { TestBroker } from '../../../test/src/testkit/broker-server.ts';

const refusal = {
  code: 503,
  error: 'The server is shutting down; use another server.',
  reason: 'SHUTTING_DOWN',
};

test('queries and pages under way finish, and further calls are refused', async () => {
  await using broker = await TestBroker.start();
  const requestId = await broker.stored(200_000);
  const { signal, abort } = abortable();
  const hanging = broker.query('hang', '', { signal }).catch(() => 'gone');
  await broker.engine.untilHanging();
  const page = await begin(broker, `/query/${requestId}/results?offset=0&numRows=200000`);
  const closed = broker.broker.close();
  for (const path of ['/health', '/metrics', `/query/${requestId}/results?offset=0`]) {
    const answer = await broker.call(path);
    expect(answer.status).toBe(503);
    expect(answer.headers.get('connection')).toBe('close');
    expect(answer.json()).toEqual(refusal);
  }
  const rows = (JSON.parse(await textOf(page)) as CursorResponse).resultTable.rows;
  expect(rows.length).toBe(200_000);
  abort();
  expect(await hanging).toBe('gone');
  await closed;
  await expect(broker.call('/health')).rejects.toThrow('fetch failed');
});

test('a query that is still running when the grace is over is cancelled, told so, and leaves nothing', async () => {
  await using broker = await TestBroker.start({ shutdownGraceMs: 5000 });
  const hanging = broker.query('rows 5000 then hang', '?doPaginate=true');
  await broker.engine.untilHanging();
  const closed = broker.broker.close();
  await broker.clock.untilSleeping(2); // the query's own limit, and the grace
  await broker.clock.advance(4999);
  expect(broker.engine.openCount).toBe(1);
  await broker.clock.advance(1);
  const answer = await hanging;
  expect(answer.status).toBe(503);
  expect(answer.json()).toMatchObject({ code: 503, reason: 'SHUTTING_DOWN' });
  await closed;
  expect(broker.engine.openCount).toBe(0);
  expect(await broker.objectKeys()).toEqual([]);
});

test('a page that nobody takes does not hold up the end of the grace', async () => {
  await using broker = await TestBroker.start({ shutdownGraceMs: 5000 });
  const requestId = await broker.stored(300_000);
  const page = await begin(broker, `/query/${requestId}/results?offset=0&numRows=300000`);
  const closed = broker.broker.close();
  await broker.clock.untilSleeping();
  await broker.clock.advance(6000);
  await closed;
  page.destroy();
  expect(broker.endedCalls.at(-1)).toMatchObject({ op: 'get', outcome: 'abandoned' });
});

test('idle connections do not hold it up at all', async () => {
  await using broker = await TestBroker.start();
  const agent = new Agent({ keepAlive: true });
  await textOf(await begin(broker, '/health', agent));
  await broker.broker.close();
  expect(broker.clock.sleeperCount).toBe(0);
  agent.destroy();
});

test('a broker that listens on localhost closes all of its addresses', async () => {
  await using broker = await TestBroker.start({ host: 'localhost' });
  const agent = new Agent({ keepAlive: true });
  const answer = await begin(broker, '/metrics', agent);
  expect(await textOf(answer)).toContain('quire_queries_running 0');
  await broker.broker.close();
  await expect(broker.call('/metrics')).rejects.toThrow('fetch failed');
  agent.destroy();
});

test('a broker closes once and starts once', async () => {
  await using broker = await TestBroker.start();
  await expect(broker.broker.listen()).rejects.toThrow('A service can be started only once.');
  await Promise.all([broker.broker.close(), broker.broker.close()]);
  await broker.broker.close();
  await expect(broker.broker.listen()).rejects.toThrow('A service can be started only once.');
});

test('a port that is taken is said to be', async () => {
  await using broker = await TestBroker.start();
  await expect(TestBroker.start({ port: broker.address.port })).rejects.toMatchObject({
    code: 'INVALID_SETTING',
    message: `port = ${broker.address.port}: another process already listens on 127.0.0.1. Choose another port, or 0 for any free one.`,
  });
});

function abortable(): { readonly signal: AbortSignal; readonly abort: () => void } {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort() };
}

/**
 * Makes a call, and resolves once the response has started; the caller decides how far it is read.
 */
function begin(broker: TestBroker, path: string, agent?: Agent): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const call = request(
      `${broker.address.url}${path}`,
      { agent, headers: { authorization: 'Bearer ann-token' } },
      resolve,
    );
    call.on('error', reject);
    call.end();
  });
}

async function textOf(response: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of response) text += String(chunk);
  return text;
}

test('a closed broker is released from memory', async () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  const closed = await (async () => {
    await using broker = await TestBroker.start();
    await broker.stored(10);
    await broker.call('/metrics');
    return new WeakRef(broker.broker);
  })();
  // A failed poll with the broker itself as its value would keep it.
  const isReleased = (): boolean => {
    collectGarbage();
    return closed.deref() === undefined;
  };
  await expect.poll(isReleased).toBe(true);
});
