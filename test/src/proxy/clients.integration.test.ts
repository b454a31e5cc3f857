import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { MisbehavingBroker } from '../testkit/servers/misbehaving-broker.ts';
import { type LogLine, recordingLogger, untilLogged } from '../testkit/broker-log.ts';
import type { TestBroker } from '../testkit/broker-server.ts';
import { startBroker, TestProxy } from '../testkit/proxy-server.ts';

let odd: MisbehavingBroker;
let good: TestBroker;
let proxy: TestProxy;
let lines: LogLine[];
const oddPage = '/query/0190163d-8694-739b-aea5-966c26f8ad91/results?offset=0';

beforeEach(async () => {
  lines = [];
  odd = await MisbehavingBroker.start();
  good = await startBroker('good');
  proxy = await TestProxy.start([odd, good], { logger: recordingLogger(lines) });
});

afterEach(async () => {
  await proxy[Symbol.asyncDispose]();
  await good[Symbol.asyncDispose]();
  await odd[Symbol.asyncDispose]();
});

describe('a client', () => {
  test('a client that goes away cancels its query', async () => {
    await using alone = await TestProxy.start([good]);
    const leaving = new AbortController();
    const query = alone.query('rows 2500 then hang', '?doPaginate=true', {
      signal: leaving.signal,
    });
    await good.engine.untilHanging();
    leaving.abort();
    await expect(query).rejects.toThrow('aborted');
    await good.engine.untilIdle();
    await good.untilStoreIsEmpty();
    expect(good.engine.queries.length).toBe(1);
  });

  test('a client that goes away in the middle of a page ends the page at the broker', async () => {
    const socket = await unread(odd, proxy);
    socket.destroy();
    await odd.untilClosed();
    await untilLogged(lines, 'call aborted');
    expect(lines.find(({ msg }) => msg === 'call aborted')).toMatchObject({ status: 499 });
    expect(lines.some(({ msg }) => msg === 'broker is down')).toBe(false);
  });

  test('a client that reads nothing keeps the broker from sending more than a few buffers, and is let go in the end', async () => {
    await using patient = await TestProxy.start([odd], { stallTimeoutMs: 60_000 });
    const socket = await unread(odd, patient);
    // The kernel's buffers of two connections take some megabytes; the page has no end.
    const held = await untilSettled(() => odd.sentBytes);
    expect(held).toBeLessThan(32 * 1024 * 1024);
    let isClosed = false;
    void odd.untilClosed().then(() => (isClosed = true));
    while (!isClosed) await patient.clock.advance(15_000);
    socket.destroy();
  });

  test('a client that sends half of a query runs none', async () => {
    const socket = connect(proxy.address.port, proxy.address.host);
    socket.on('error', () => undefined);
    socket.write(
      'POST /query/sql HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ann-token\r\nContent-Type: application/json\r\nContent-Length: 20\r\n\r\n{"sql"',
    );
    socket.end();
    socket.resume();
    await once(socket, 'close');
    expect([odd.calls.length, good.engine.queries.length]).toEqual([0, 0]);
  });
});

/** An endless page of the misbehaving broker, of which its client reads the headers at most. */
async function unread(broker: MisbehavingBroker, front: TestProxy): Promise<Socket> {
  const chunk = Buffer.alloc(65_536, 0x20);
  broker.conduct = (response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    const fill = (): void => {
      while (!response.destroyed && response.write(chunk));
    };
    response.on('drain', fill);
    fill();
  };
  const socket = connect(front.address.port, front.address.host);
  socket.on('error', () => undefined);
  socket.pause();
  socket.write(
    `GET ${oddPage} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ann-token\r\nForward_Host: odd.example\r\nForward_Port: 8099\r\n\r\n`,
  );
  await broker.untilCalled();
  return socket;
}

/** Resolves to the value once it has not changed for some turns of the event loop. */
async function untilSettled(read: () => number): Promise<number> {
  let last = -1;
  for (let same = 0; same < 200;) {
    await new Promise((resolve) => setImmediate(resolve));
    same = read() === last ? same + 1 : 0;
    last = read();
  }
  return last;
}
