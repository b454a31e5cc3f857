import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { noAuthorization } from '@quire/auth';
import { QuireError } from '@quire/core';
import { ManualClock, SeededRandom } from '@quire/core/testing';
import type { ControllerOptions } from '../src/index.ts';

/**
 * Options of a controller whose callers are named by their header; `root` is an admin. Its clock
 * does not advance.
 */
export function controllerOptions(
  options: Partial<ControllerOptions> = {},
): ControllerOptions & { readonly clock: ManualClock } {
  return {
    host: '127.0.0.1',
    port: 0,
    version: '1.0.0',
    authenticate: async (header) => {
      if (header === undefined) throw new QuireError('UNAUTHENTICATED', 'Who are you?');
      return { name: header, role: header === 'root' ? 'admin' : 'query' };
    },
    bodyBytesMax: 1000,
    headerBytesMax: 16_384,
    requestTimeoutMs: 30_000,
    idleTimeoutMs: 75_000,
    shutdownGraceMs: 0,
    brokers: [],
    brokerTimeoutMs: 5000,
    schedule: { periodMs: 60_000, initialDelayMs: 1000 },
    authorization: noAuthorization,
    random: new SeededRandom(1),
    ...options,
    clock: new ManualClock(),
  };
}

/** A server in place of a broker. */
export interface FakeBroker extends AsyncDisposable {
  readonly url: string;
  /** `METHOD path authorization` of each call so far. */
  readonly calls: string[];
  /** Resolves once `count` calls have arrived. */
  untilCalled(count: number): Promise<void>;
}

/** Starts a broker with scripted answers; a call whose answer is undefined stays unanswered. */
export async function fakeBroker(
  answer: (
    request: IncomingMessage,
    response: ServerResponse,
  ) => { readonly status: number; readonly body: string } | undefined,
): Promise<FakeBroker> {
  const calls: string[] = [];
  const waiting: (() => void)[] = [];
  const server = createServer((request, response) => {
    calls.push(
      [request.method, request.url, request.headers.authorization].filter(Boolean).join(' '),
    );
    for (const wake of waiting.splice(0)) wake();
    const answered = answer(request, response);
    if (answered !== undefined) response.writeHead(answered.status).end(answered.body);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    calls,
    untilCalled: async (count) => {
      while (calls.length < count) await new Promise<void>((resolve) => waiting.push(resolve));
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A stored result as brokers list it. */
export function storedResult(
  requestId: string,
  expirationTimeMs: number,
  submissionTimeMs = 1,
): Record<string, unknown> {
  const metadata = {
    type: 'fs',
    numRows: 3,
    dataFile: 'file:///d',
    metadataFile: 'file:///m',
    sizeBytes: 10,
  };
  return {
    requestId,
    brokerId: 'Broker_b_1',
    submissionTimeMs,
    expirationTimeMs,
    responseMetadata: [metadata],
  };
}
