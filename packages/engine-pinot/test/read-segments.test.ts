import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { noAuthorization } from '@quire/auth';
import { ManualClock } from '@quire/core/testing';
import { expect, test } from 'vitest';
import { QuireError } from '@quire/core';
import type { AnswerPart } from '../src/answer/read-answer.ts';
import { Controller } from '../src/http/controller.ts';
import { PinotHttp } from '../src/http/pinot-http.ts';
import { hasUpserts, readSegments } from '../src/query/read-segments.ts';

const selection = { tableName: 'rivers', sqlOf: (segment: string) => segment };
const names = ['a', 'b', 'c', 'd', 'e'];
const { signal } = new AbortController();

/** Runs with a controller whose table has these configs, and five segments with checksums. */
async function whileServing(
  configs: object,
  task: (controller: Controller) => Promise<void>,
  segments: Record<string, string> = Object.fromEntries(names.map((name) => [name, '1'])),
): Promise<void> {
  const server = createServer(({ url = '' }, response) => {
    const answer = url.endsWith('/crc') ? segments : [{ OFFLINE: Object.keys(segments) }];
    response.end(JSON.stringify(url.startsWith('/segments/') ? answer : configs));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  {
    await using http = new PinotHttp({
      clock: new ManualClock(),
      authorization: noAuthorization,
      connectTimeoutMs: 5_000,
    });
    await task(new Controller(http, [url]));
  }
  server.closeAllConnections();
  server.close();
}

/** Yields an answer whose rows are the name of the segment. */
async function* answerOf(segment: string, end: () => void): AsyncGenerator<AnswerPart> {
  try {
    const bytes = Buffer.from(segment);
    yield { kind: 'rows', bytes, start: 0, end: bytes.length, taken: 0 };
    yield { kind: 'member', name: 'numDocsScanned', text: '1' };
  } finally {
    end();
  }
}

test.each([1, 2, 3])(
  'a selection asks for %i segments at the same time, and gives their rows in order',
  async (concurrencyMax) => {
    await whileServing({}, async (controller) => {
      let [asked, open, openMax] = [0, 0, 0];
      const parts: string[] = [];
      const askedBy: number[] = [];
      const ask = async (segment: string): Promise<AsyncGenerator<AnswerPart>> => {
        asked += 1;
        open += 1;
        openMax = Math.max(openMax, open);
        return answerOf(segment, () => (open -= 1));
      };
      const shares: number[] = [];
      for await (const part of readSegments(selection, {
        controller,
        signal,
        concurrencyMax,
        ask,
        onProgress: (share) => shares.push(share),
      })) {
        if (part.kind === 'rows') {
          parts.push(part.bytes.toString());
          askedBy.push(asked);
        } else if (part.kind === 'member') parts.push(`${part.name} ${part.text}`);
      }
      expect(parts).toEqual([...names, 'numDocsScanned 5']);
      expect(askedBy).toEqual(
        names.map((_name, index) => Math.min(names.length, index + concurrencyMax)),
      );
      expect(openMax).toBe(concurrencyMax);
      expect(shares).toEqual([0.2, 0.4, 0.6, 0.8, 1]);
    });
  },
);

test('a selection fails with the failure of the segment whose turn it is, also when a later one fails first', async () => {
  await whileServing({}, async (controller) => {
    const ask = async (segment: string): Promise<AsyncGenerator<AnswerPart>> => {
      if (segment !== 'a') throw new Error(`${segment} failed`);
      return answerOf(segment, () => undefined);
    };
    const read = async (): Promise<void> => {
      for await (const part of readSegments(selection, {
        controller,
        signal,
        concurrencyMax: 3,
        ask,
      })) {
        expect(part.kind).toBe('rows');
        break;
      }
    };
    await read();
    await expect(async () => {
      for await (const part of readSegments(selection, {
        controller,
        signal,
        concurrencyMax: 3,
        ask,
      })) {
        expect(['rows', 'member']).toContain(part.kind);
      }
    }).rejects.toThrow('b failed');
  });
});

test.each([
  ['was deleted', (segments: Record<string, string>) => void delete segments['d']],
  ['was replaced', (segments: Record<string, string>) => void (segments['d'] = '2')],
])('a selection fails when a segment %s meanwhile', async (words, change) => {
  const segments = Object.fromEntries(names.map((name) => [name, '1']));
  const task = async (controller: Controller): Promise<void> => {
    const ask = async (segment: string): Promise<AsyncGenerator<AnswerPart>> => {
      if (segment === 'b') change(segments);
      return answerOf(segment, () => undefined);
    };
    const source = { controller, signal, concurrencyMax: 1, ask };
    await expect(Array.fromAsync(readSegments(selection, source))).rejects.toMatchObject({
      code: 'QUERY_FAILED',
      message: `Segment d of rivers ${words} while the table was read segment by segment; run the query again.`,
    });
  };
  await whileServing({}, task, segments);
});

type Halves = Readonly<Record<string, readonly string[]>>;

/** A controller that lists other segments each time. */
function listing(...lists: readonly Halves[]) {
  let next = 0;
  return {
    call: async ({ path }: { readonly path: string }) => {
      const [halves, body] = path.endsWith('/crc')
        ? [undefined, { o1: '1', o2: '1' }]
        : [lists[next], Object.entries(lists[next] ?? {}).map(([half, all]) => ({ [half]: all }))];
      if (halves !== undefined) next += 1;
      return { status: 200, text: JSON.stringify(body) };
    },
  } as unknown as Controller;
}

test.each<readonly [added: string | undefined, before: Halves, now: Halves]>([
  ['o2', { OFFLINE: ['o1'], REALTIME: ['r1'] }, { OFFLINE: ['o1', 'o2'], REALTIME: ['r1'] }],
  ['o1', { REALTIME: ['r1'] }, { OFFLINE: ['o1'], REALTIME: ['r1'] }],
  ['r1', { OFFLINE: ['o1'] }, { OFFLINE: ['o1'], REALTIME: ['r1'] }],
  [undefined, { OFFLINE: ['o1'] }, { OFFLINE: ['o1', 'o2'] }],
  [undefined, { OFFLINE: ['o1'], REALTIME: ['r1'] }, { OFFLINE: ['o1'], REALTIME: ['r1', 'r2'] }],
])(
  'a selection fails if the added segment %s moves the time at which the halves of a table meet: %j',
  async (added, before, now) => {
    const ask = async (segment: string) => answerOf(segment, () => undefined);
    const source = { controller: listing(before, now), signal, concurrencyMax: 1, ask };
    const failure = await Array.fromAsync(readSegments(selection, source)).then(
      () => undefined,
      (error: unknown) => error,
    );
    const expected = `Segment ${added} of rivers was added while the table was read segment by segment; run the query again.`;
    expect(failure).toEqual(
      added === undefined ? undefined : new QuireError('QUERY_FAILED', expected),
    );
  },
);

test('a selection is as fresh as the oldest of its answers that know how fresh they are', async () => {
  const freshness: Readonly<Record<string, number>> = { r1: 1000, r2: 0, r3: 2000 };
  const segments = { REALTIME: Object.keys(freshness) };
  const name = 'minConsumingFreshnessTimeMs';
  const ask = async (segment: string) =>
    (async function* (): AsyncGenerator<AnswerPart> {
      yield { kind: 'member', name, text: String(freshness[segment]) };
    })();
  const source = { controller: listing(segments, segments), signal, concurrencyMax: 1, ask };
  expect(await Array.fromAsync(readSegments(selection, source))).toEqual([
    { kind: 'member', name, text: '1000' },
  ]);
});

test('a table has no upserts if it does not exist, and is not queried if its configs cannot be read', async () => {
  const answering = (status: number) =>
    ({ call: async () => ({ status, text: '{}' }) }) as unknown as Controller;
  const ask = (status: number) => hasUpserts(selection, { controller: answering(status), signal });
  expect(await ask(404)).toBe(false);
  await expect(ask(503)).rejects.toEqual(
    new QuireError('QUERY_FAILED', 'The configs of rivers cannot be read: HTTP 503.'),
  );
});

test.each([
  [{ OFFLINE: {} }, false],
  [{ REALTIME: { upsertConfig: { mode: 'NONE' } } }, false],
  [{ OFFLINE: {}, REALTIME: { upsertConfig: { mode: 'FULL' } } }, true],
  [{ REALTIME: { upsertConfig: { mode: 'PARTIAL' } } }, true],
])('a table has upserts as its configs say: %j', async (configs, expected) => {
  await whileServing(configs, async (controller) => {
    expect(await hasUpserts(selection, { controller, signal })).toBe(expected);
  });
});
