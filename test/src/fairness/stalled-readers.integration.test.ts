import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type LogLine, recordingLogger } from '../testkit/broker-log.ts';
import { TestBroker } from '../testkit/broker-server.ts';
import { numbers, openUnread } from './unread-page.ts';

const stallTimeoutMs = 60_000;
const stalled =
  'call ended: the client received nothing of the response within engine.broker.page.stall.timeout';

let log: LogLine[];
let broker: TestBroker;

beforeEach(async () => {
  log = [];
  // The clock runs ahead of the machine: only the timeout in question may expire.
  broker = await TestBroker.start(
    { logger: recordingLogger(log), stallTimeoutMs, queryTimeoutMs: 1e12 },
    { batchSizeBytes: 256 * 1024 },
  );
});
afterEach(() => broker[Symbol.asyncDispose]());

/** Advances time until the given number of responses was given up. */
async function untilStalled(count: number): Promise<void> {
  while (log.filter(({ msg }) => msg === stalled).length < count) {
    await broker.clock.advance(stallTimeoutMs / 4);
  }
}

/** Returns the broker's metrics about abandoned calls. */
async function stalledCounts(): Promise<string[]> {
  const { text } = await broker.call('/metrics');
  return text.split('\n').filter((line) => line.startsWith('quire_http_responses_stalled_total'));
}

test.each(['json', 'csv', 'arrow'])(
  'a page as %s whose client reads nothing is given up, with a line in the log',
  async (format) => {
    const { requestId } = (await broker.results.create(numbers(2_000_000), { owner: 'ann' })).entry;
    broker.endedCalls.length = 0;
    const response = await openUnread(
      `${broker.address.url}/query/${requestId}/results?offset=0&numRows=2000000&format=${format}`,
    );
    await untilStalled(1);
    expect(log.filter(({ msg }) => msg === stalled)).toMatchObject([
      { level: 'info', status: 499, principal: 'ann' },
    ]);
    expect(await stalledCounts()).toEqual([
      'quire_http_responses_stalled_total{route="/query/:requestId/results"} 1',
    ]);
    while (broker.endedCalls.length === 0) await new Promise((resolve) => setImmediate(resolve));
    expect(broker.endedCalls.map(({ op, outcome }) => `${op} ${outcome}`)).toEqual([
      'get abandoned',
    ]);
    // The client has a part of the page, and can detect that.
    response.resume();
    await new Promise((resolve) => response.once('close', resolve));
    expect(response.complete).toBe(false);
  },
);

test('the rows of a plain query that nobody takes are given up, and its result goes', async () => {
  const call = request(`${broker.address.url}/query/sql`, {
    method: 'POST',
    headers: { authorization: 'Bearer ann-token', 'content-type': 'application/json' },
    agent: false,
  });
  call.end('{"sql":"rows 300000"}');
  const [response] = (await once(call, 'response')) as [IncomingMessage];
  response.on('error', () => undefined);
  await untilStalled(1);
  expect(await stalledCounts()).toEqual([
    'quire_http_responses_stalled_total{route="/query/sql"} 1',
  ]);
  await broker.untilStoreIsEmpty();
});

test('a page of a query that runs is given up, and the query goes on', async () => {
  const started = await broker.query(
    'rows 300000 then wait then rows 10',
    '?doPaginate=true&async=true&numRows=1',
  );
  const { requestId } = started.json();
  while (
    (await broker.call(`/query/${requestId}`)).json<{ numRowsResultSet: number }>()
      .numRowsResultSet < 250_000
  );
  const response = await openUnread(
    `${broker.address.url}/query/${requestId}/results?offset=0&numRows=250000&wait=0s`,
  );
  expect([response.statusCode, response.headers['quire-query-state']]).toEqual([200, 'RUNNING']);
  await untilStalled(1);
  expect((await broker.call(`/query/${requestId}`)).json<{ state: string }>().state).toBe(
    'RUNNING',
  );
});

test('a client that takes a little within each timeout gets its whole page', async () => {
  const rowCount = 12_000_000;
  const { requestId } = (await broker.results.create(numbers(rowCount), { owner: 'ann' })).entry;
  const page = `/query/${requestId}/results?offset=0&numRows=${rowCount}&format=arrow`;
  const response = await openUnread(broker.address.url + page);
  let readBytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    const before = readBytes;
    readBytes += chunk.length;
    // More than the buffers of the connection hold: the server has written again since the last
    // pause.
    const isPause = Math.floor(readBytes / 10_000_000) > Math.floor(before / 10_000_000);
    if (isPause) await broker.clock.advance(stallTimeoutMs * 0.75);
  }
  expect(readBytes).toBeGreaterThan(rowCount * 4);
  expect(log.filter(({ msg }) => msg === stalled)).toEqual([]);
});
