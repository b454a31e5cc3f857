import { systemClock } from '@quire/core';
import { describe, expect, test } from 'vitest';
import { GrpcServer } from '../src/grpc/grpc-server.ts';
import { GrpcTestClient } from '../../../test/src/testkit/grpc-test-client.ts';
import {
  callHeaders,
  flags,
  frame,
  frames,
  headerBlock,
  RawHttp2,
} from '../../../test/src/testkit/raw-http2.ts';

const callsMax = 64;
const headerBytesMax = 16_384;

interface Scene {
  readonly port: number;
  /** Calls that were handled at the same time, at most. */
  readonly runningMax: () => number;
}

/** A server whose calls end when their clients leave, and a client that it must keep serving. */
async function expectServed(use: (scene: Scene) => Promise<void>): Promise<void> {
  let running = 0;
  let runningMax = 0;
  await using server = new GrpcServer({
    clock: systemClock,
    host: '127.0.0.1',
    port: 0,
    requestBytesMax: 64 * 1024,
    headerBytesMax,
    requestTimeoutMs: 30_000,
    idleTimeoutMs: 75_000,
    connectionCallsMax: callsMax,
    handle: async (call) => {
      runningMax = Math.max(runningMax, (running += 1));
      try {
        for await (const message of call.messages()) await call.send(message);
      } finally {
        running -= 1;
      }
    },
  });
  const { port } = await server.listen();
  await using other = new GrpcTestClient({ port });
  const echo = async (): Promise<void> => {
    const answer = await other.call('/any/Echo', Buffer.from('on'));
    expect(answer.messages.map(String)).toEqual(['on']);
  };
  await echo();
  await use({ port, runningMax: () => runningMax });
  await echo();
  expect(runningMax).toBeLessThanOrEqual(callsMax + 1);
}

const idOf = (turn: number): number => 2 * turn + 1;
const open = (turn: number, flag = 0): Buffer =>
  frame(frames.headers, idOf(turn), callHeaders('/any/Flood'), flags.endHeaders | flag);
const code = Buffer.of(0, 0, 0, 8);

describe('a flood that ends its connection', () => {
  test.each<readonly [string, (turn: number) => Uint8Array]>([
    [
      'calls that are reset at once (CVE-2023-44487)',
      (turn) => Buffer.concat([open(turn), frame(frames.reset, idOf(turn), code)]),
    ],
    [
      'calls that the server is made to reset (CVE-2025-8671)',
      (turn) =>
        Buffer.concat([open(turn), frame(frames.windowUpdate, idOf(turn), Buffer.alloc(4))]),
    ],
    [
      'headers that never end (CVE-2024-27316)',
      (turn) =>
        turn === 0
          ? frame(frames.headers, 1, callHeaders('/any/Endless'))
          : frame(frames.continuation, 1, headerBlock({ [`x-${turn}`]: 'y'.repeat(100) })),
    ],
    [
      'empty continuations of headers',
      (turn) =>
        turn === 0
          ? frame(frames.headers, 1, callHeaders('/any/Endless'))
          : frame(frames.continuation, 1),
    ],
    [
      'frames larger than any is allowed to be',
      () => frame(frames.data, 1, Buffer.alloc(1_000_000)),
    ],
    ['data without bytes', (turn) => (turn === 0 ? open(0) : frame(frames.data, 1))],
    ['data of calls that were never opened', (turn) => frame(frames.data, idOf(turn), code)],
    ['settings that are not whole', () => frame(frames.settings, 0, Buffer.of(1))],
    [
      'calls with ids that only servers may use',
      () => frame(frames.headers, 2, callHeaders('/a'), 5),
    ],
    ['windows larger than any may be', () => frame(frames.windowUpdate, 0, Buffer.alloc(4, 0x7f))],
    ['bytes of something else than frames', () => Buffer.alloc(1000, 0xff)],
  ])('a flood that ends its connection: %s', async (_what, bytesOf) => {
    await expectServed(async ({ port }) => {
      await using attacker = await RawHttp2.connect(port);
      await attacker.flood(bytesOf, 200_000);
      await attacker.closed;
    });
  });

  test.each<readonly [string, (turn: number) => Uint8Array]>([
    ['pings', () => frame(frames.ping, 0, Buffer.alloc(8))],
    ['settings', () => frame(frames.settings, 0)],
  ])('a flood that ends its connection: %s whose answers are not read', async (_what, bytesOf) => {
    await expectServed(async ({ port }) => {
      await using attacker = await RawHttp2.connect(port, { isReading: false });
      await attacker.flood((turn) => Buffer.concat(Array(100).fill(bytesOf(turn))), 200_000);
      attacker.socket.resume();
      await attacker.closed;
    });
  });
});

describe('a flood that costs little', () => {
  test.each<readonly [string, (turn: number) => Uint8Array]>([
    ['priorities', (turn) => frame(frames.priority, idOf(turn), Buffer.alloc(5))],
    ['windows that grow by a byte', () => frame(frames.windowUpdate, 0, Buffer.of(0, 0, 0, 1))],
    [
      'a header that stands for many (HPACK)',
      (turn) => {
        const entry = headerBlock({ 'x-large': 'y'.repeat(120) });
        entry.writeUInt8(0x40, 0); // into the table of the connection, as entry 62
        const block = Buffer.concat([
          callHeaders('/any/Bomb'),
          entry,
          Buffer.alloc(10_000, 0x80 | 62),
        ]);
        return frame(frames.headers, idOf(turn), block, flags.endHeaders | flags.endStream);
      },
    ],
    ['pings whose answers are read', () => frame(frames.ping, 0, Buffer.alloc(8))],
  ])('a flood that costs little: %s, and others are served', async (_what, bytesOf) => {
    await expectServed(async ({ port }) => {
      await using attacker = await RawHttp2.connect(port);
      await attacker.flood(bytesOf, 5000);
    });
  });

  test('a flood that costs little: 10,000 calls that send nothing, of which a few are taken on', async () => {
    await expectServed(async ({ port, runningMax }) => {
      await using attacker = await RawHttp2.connect(port);
      await attacker.flood((turn) => open(turn), 10_000);
      expect(runningMax()).toBeGreaterThan(1);
    });
  });

  test('a flood that costs little: 500 connections without a call', async () => {
    await expectServed(async ({ port }) => {
      await using attackers = new AsyncDisposableStack();
      for (let count = 0; count < 500; count += 1) {
        attackers.use(await RawHttp2.connect(port));
      }
    });
  });
});
