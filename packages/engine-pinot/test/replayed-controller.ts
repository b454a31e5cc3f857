import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { systemRandom } from '@quire/core';
import { ManualClock } from '@quire/core/testing';
import { PinotTableEngine } from '../src/index.ts';

/** Used as an answer: the controller waits for a server that hangs. */
export const neverAnswered = 'never answered';

/** Answers of a controller by path and query: a JSON value, or a status with a text. */
export type Answers = Readonly<Record<string, unknown>>;

export interface ReplayedController extends AsyncDisposable {
  readonly engine: PinotTableEngine;
  readonly url: string;
  readonly clock: ManualClock;
  /** Method and path of every call, in order. */
  readonly calls: readonly string[];
}

/** Creates a table engine whose controller replays recorded answers; 404 for anything else. */
export async function replay(
  answers: Answers,
  nowMs = 1_800_000_000_000,
): Promise<ReplayedController> {
  const calls: string[] = [];
  const server = createServer((request, response) => {
    const { method = '', url = '' } = request;
    calls.push(`${method} ${url}`);
    request.resume();
    const answer = answers[method === 'GET' ? url : `${method} ${url}`];
    if (answer === neverAnswered) return;
    if (answer === undefined) response.writeHead(404).end('{"code":404,"error":"not recorded"}');
    else if (isRefusal(answer)) response.writeHead(answer.status).end(answer.text);
    else response.end(JSON.stringify(answer));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const clock = new ManualClock({ nowMs });
  const engine = new PinotTableEngine({
    clock,
    random: systemRandom,
    controllerUrls: [url],
    authorization: { authorization: async () => undefined },
    connectTimeoutMs: 5_000,
    refreshMs: 1_000,
    avoidMs: 10_000,
    isUnlimited: false,
    isSegmentBySegment: false,
  });
  return {
    engine,
    url,
    clock,
    calls,
    async [Symbol.asyncDispose]() {
      await engine[Symbol.asyncDispose]();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function isRefusal(answer: unknown): answer is { readonly status: number; readonly text: string } {
  return typeof answer === 'object' && answer !== null && 'status' in answer && 'text' in answer;
}
