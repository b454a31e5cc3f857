import { once } from 'node:events';
import { connect as connectSocket } from 'node:net';
import { QuireError, systemClock } from '@quire/core';
import { ManualClock } from '@quire/core/testing';
import { describe, expect, test } from 'vitest';
import { GrpcServer, type GrpcServerOptions } from '../src/grpc/grpc-server.ts';
import { grpcStatuses } from '../src/grpc/grpc-status.ts';
import { answerOf, framed, GrpcTestClient } from '../../../test/src/testkit/grpc-test-client.ts';

const text = (value: string): Uint8Array => new TextEncoder().encode(value);
const noBytes = new Uint8Array(0);

/** Echoes each message until the request ends. */
const echo: GrpcServerOptions['handle'] = async (call) => {
  for await (const message of call.messages()) await call.send(message);
};

async function serve(
  options: Partial<GrpcServerOptions> = {},
): Promise<{ readonly server: GrpcServer; readonly port: number } & AsyncDisposable> {
  const server = new GrpcServer({
    clock: systemClock,
    host: '127.0.0.1',
    port: 0,
    requestBytesMax: 64 * 1024,
    headerBytesMax: 16_384,
    requestTimeoutMs: 30_000,
    idleTimeoutMs: 75_000,
    handle: echo,
    ...options,
  });
  const { port } = await server.listen();
  return { server, port, [Symbol.asyncDispose]: () => server.close() };
}

describe('a call', () => {
  test('a call is answered with messages and, behind them, its status', async () => {
    await using served = await serve();
    await using client = new GrpcTestClient(served);
    const stream = client.open('/any/Echo');
    stream.write(framed(text('one')));
    stream.end(framed(noBytes));
    const answer = await answerOf(stream);
    expect(answer.messages.map(String)).toEqual(['one', '']);
    expect(answer.trailers['grpc-status']).toBe('0');
    expect(answer.headers['content-type']).toBe('application/grpc');
  });

  test('a call takes messages that arrive byte by byte', async () => {
    await using served = await serve();
    await using client = new GrpcTestClient(served);
    const stream = client.open('/any/Echo');
    for (const byte of framed(text('slow'))) stream.write(Buffer.of(byte));
    stream.end();
    expect((await answerOf(stream)).messages.map(String)).toEqual(['slow']);
  });

  test('a call sends a large body in pieces, without a copy, and whole', async () => {
    const body = Buffer.alloc(5_000_000, 'quire');
    await using served = await serve({ handle: (call) => call.send(text('head'), body) });
    await using client = new GrpcTestClient(served);
    const { messages } = await client.call('/any/Large', noBytes);
    expect(messages.map((each) => each.length)).toEqual([5_000_004]);
    expect(messages[0]?.subarray(4).equals(body)).toBe(true);
  });

  test('a call that fails says why: by status, code, and a message with any characters', async () => {
    const message = 'Größe „50 %“ is wrong.\nExpected less.';
    await using served = await serve({
      handle: async () => {
        throw new QuireError('QUERY_ELSEWHERE', message, { broker: { host: 'b', port: 1 } });
      },
    });
    await using client = new GrpcTestClient(served);
    const answer = await client.call('/any/Failing', noBytes, {});
    expect(answer).toMatchObject({ status: grpcStatuses.failedPrecondition, message });
    expect(answer.headers).toMatchObject({
      'quire-reason': 'QUERY_ELSEWHERE',
      'quire-broker-host': 'b',
      'quire-broker-port': '1',
    });
  });

  test('a call that fails after its first message has the status behind it', async () => {
    await using served = await serve({
      handle: async (call) => {
        await call.send(text('first'));
        throw new QuireError('RESULT_CORRUPT', 'damaged');
      },
    });
    await using client = new GrpcTestClient(served);
    const answer = await client.call('/any/Failing', noBytes);
    expect(answer.messages.map(String)).toEqual(['first']);
    expect(answer.trailers).toMatchObject({
      'grpc-status': '15',
      'quire-reason': 'RESULT_CORRUPT',
    });
  });

  test('a call never shows the message of an unexpected error, and cuts long ones at 1 KiB', async () => {
    const errors = [new Error('/etc/secret'), new QuireError('QUERY_INVALID', 'é'.repeat(2000))];
    await using served = await serve({
      handle: async () => {
        throw errors.shift() ?? new Error();
      },
    });
    await using client = new GrpcTestClient(served);
    const unexpected = await client.call('/any/Failing', noBytes);
    expect(unexpected).toMatchObject({ status: 13, message: 'An unexpected error occurred.' });
    const long = await client.call('/any/Failing', noBytes);
    expect(long.message).toBe('é'.repeat(170));
  });

  test('a call is told to stop by its deadline, and by its client', async () => {
    const clock = new ManualClock();
    const reasons: unknown[] = [];
    const started: PromiseWithResolvers<void>[] = [
      Promise.withResolvers(),
      Promise.withResolvers(),
    ];
    const ended = started.map(() => Promise.withResolvers<void>());
    let count = 0;
    await using served = await serve({
      clock,
      handle: async (call) => {
        const index = count++;
        await new Promise<void>((resolve) => {
          call.signal.addEventListener('abort', () => resolve());
          started[index]?.resolve();
        });
        reasons.push((call.signal.reason as QuireError).code);
        ended[index]?.resolve();
        throw call.signal.reason;
      },
    });
    await using client = new GrpcTestClient(served);
    const late = client.call('/any/Late', noBytes, { 'grpc-timeout': '250m' });
    await started[0]?.promise;
    await clock.advance(250);
    expect(await late).toMatchObject({
      status: grpcStatuses.deadlineExceeded,
      message: 'The call exceeded its deadline of 250 ms.',
    });
    const gone = client.open('/any/Gone');
    gone.end(framed(noBytes));
    await started[1]?.promise;
    gone.close(8);
    await ended[1]?.promise;
    expect(reasons).toEqual(['REQUEST_TIMED_OUT', 'ABORTED']);
  });

  test('a call waits for a client that takes nothing, and holds no more than one message', async () => {
    let sentCount = 0;
    const paused = Promise.withResolvers<void>();
    await using served = await serve({
      handle: async (call) => {
        for (; sentCount < 64; sentCount += 1) {
          if (sentCount === 2) paused.resolve();
          await call.send(noBytes, new Uint8Array(1_000_000));
        }
      },
    });
    await using client = new GrpcTestClient(served);
    const stream = client.open('/any/Slow');
    stream.end(framed(noBytes));
    stream.pause();
    await once(stream, 'response');
    // Concurrent calls are answered, on the same connection and on another one.
    await using other = new GrpcTestClient(served);
    expect(sentCount).toBeLessThan(3);
    stream.resume();
    expect((await answerOf(stream)).messages).toHaveLength(64);
    await paused.promise;
    expect(other.session.destroyed).toBe(false);
  });
});

describe('a request that is not in order', () => {
  test.each([
    ['announces too long a message', Buffer.of(0, 0xff, 0xff, 0xff, 0xff), 8, 'at most 65536'],
    ['is compressed', Buffer.of(1, 0, 0, 0, 0), 12, 'compressed'],
    ['ends within a message', Buffer.of(0, 0, 0, 0, 9, 1), 3, 'ended within a message'],
    ['has no message', Buffer.alloc(0), 3, 'has no message'],
  ])(
    'a request that is not in order that %s gets a status that says so',
    async (_what, bytes, status, words) => {
      await using served = await serve({
        handle: async (call) => call.send(await call.message()),
      });
      await using client = new GrpcTestClient(served);
      const stream = client.open('/any/Once');
      stream.end(bytes);
      const answer = await answerOf(stream);
      expect(answer.status).toBe(status);
      expect(answer.message).toContain(words);
    },
  );

  test('a request that is not in order with a malformed timeout gets a status that says so', async () => {
    await using served = await serve();
    await using client = new GrpcTestClient(served);
    const answer = await client.call('/any/Echo', noBytes, { 'grpc-timeout': 'soon' });
    expect(answer).toMatchObject({
      status: 3,
      message: 'grpc-timeout is "soon"; expected for example 10S or 500m.',
    });
  });

  test('a request that is not in order of another content type is 415, as plain HTTP', async () => {
    await using served = await serve();
    await using client = new GrpcTestClient(served);
    const asked = client.call('/any/Echo', noBytes, { 'content-type': 'application/json' });
    await expect(asked).rejects.toThrow('HTTP status 415: This port serves Arrow Flight SQL');
  });

  test('a request that is not in order that stops within its message is given up, and the connection goes on', async () => {
    const clock = new ManualClock();
    await using served = await serve({ clock, requestTimeoutMs: 1000 });
    await using client = new GrpcTestClient(served);
    const stream = client.open('/any/HalfOpen');
    const answer = answerOf(stream);
    stream.write(Buffer.of(0, 0, 0, 0, 9, 1));
    await clock.untilSleeping(2);
    await clock.advance(1000);
    expect(await answer).toMatchObject({
      status: grpcStatuses.deadlineExceeded,
      message: 'The client sent no complete message within 1000 ms.',
    });
    expect((await client.call('/any/Echo', text('on'))).messages.map(String)).toEqual(['on']);
  });
});

describe('a connection', () => {
  test('a connection without calls is closed when it has been idle for too long', async () => {
    const clock = new ManualClock();
    await using served = await serve({ clock, idleTimeoutMs: 5000 });
    await using client = new GrpcTestClient(served);
    const closed = once(client.session, 'close');
    await client.call('/any/Echo', text('a'));
    await clock.untilSleeping();
    await clock.advance(5000);
    await closed;
    expect(client.session.destroyed).toBe(true);
  });

  test('a connection that never speaks HTTP/2 is closed, whether it says something else or nothing', async () => {
    const clock = new ManualClock();
    await using served = await serve({ clock, idleTimeoutMs: 5000 });
    const http1 = connectSocket(served.port, '127.0.0.1');
    http1.resume().write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
    await once(http1, 'close');
    const silent = connectSocket(served.port, '127.0.0.1').resume();
    await clock.untilSleeping();
    await clock.advance(5000);
    await once(silent, 'close');
    await using client = new GrpcTestClient(served);
    expect((await client.call('/any/Echo', text('on'))).status).toBe(0);
  });

  test('a connection may ask 10,000 calls at once: all are answered, and others meanwhile', async () => {
    let runningMax = 0;
    let running = 0;
    await using served = await serve({
      connectionCallsMax: 100,
      handle: async (call) => {
        runningMax = Math.max(runningMax, (running += 1));
        await call.send(await call.message());
        running -= 1;
      },
    });
    await using greedy = new GrpcTestClient(served);
    await using other = new GrpcTestClient(served);
    await once(greedy.session, 'remoteSettings');
    const calls = Array.from({ length: 10_000 }, (_, index) =>
      greedy.call('/any/Many', text(String(index))),
    );
    expect((await other.call('/any/Echo', text('me'))).messages.map(String)).toEqual(['me']);
    const answers = await Promise.all(calls);
    expect(answers.map(({ messages }) => Number(messages[0]))).toEqual(
      Array.from({ length: 10_000 }, (_, index) => index),
    );
    expect(runningMax).toBeLessThanOrEqual(101);
  });

  test('a connection takes any number of calls whose requests are read in part only', async () => {
    await using served = await serve({
      connectionCallsMax: 4,
      handle: async (call) => {
        const messages = call.messages();
        await messages.next();
        throw new QuireError('UNSUPPORTED', 'no more');
      },
    });
    await using client = new GrpcTestClient(served);
    for (let count = 0; count < 20; count += 1) {
      const stream = client.open('/any/Part');
      stream.write(framed(text('one')));
      stream.end(framed(text('two')));
      expect((await answerOf(stream)).status).toBe(grpcStatuses.unimplemented);
    }
  });

  test('a connection that floods with resets is closed, and others are served', async () => {
    await using served = await serve();
    await using other = new GrpcTestClient(served);
    await using attacker = new GrpcTestClient(served);
    await once(attacker.session, 'remoteSettings');
    let isClosed = false;
    attacker.session.once('close', () => (isClosed = true));
    while (!isClosed) {
      for (let count = 0; count < 100 && !attacker.session.closed; count += 1) {
        attacker.open('/any/Reset').close(8);
      }
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect((await other.call('/any/Echo', text('on'))).messages.map(String)).toEqual(['on']);
  });

  test('a connection that floods with headers loses its call or itself, and others are served', async () => {
    await using served = await serve();
    await using other = new GrpcTestClient(served);
    await using attacker = new GrpcTestClient(served);
    await once(attacker.session, 'remoteSettings');
    const many = Object.fromEntries(
      Array.from({ length: 2000 }, (_, index) => [`x-flood-${index}`, 'y'.repeat(20)]),
    );
    await expect(attacker.call('/any/Flood', noBytes, many)).rejects.toThrow(/closed/i);
    expect((await other.call('/any/Echo', text('on'))).messages.map(String)).toEqual(['on']);
  });

  test('a connection is closed with the server, whatever is under way on it', async () => {
    const served = await serve();
    await using client = new GrpcTestClient(served);
    const stream = client.open('/any/Open');
    stream.write(framed(text('a')));
    await once(stream, 'response');
    const closed = once(client.session, 'close');
    await served.server.close();
    await closed;
    expect(served.server.connectionCount).toBe(0);
  });
});
