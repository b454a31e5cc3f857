import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Answer, TestBroker } from '../../../test/src/testkit/broker-server.ts';

let waiting: TestBroker;
let warm: TestBroker;
const ids = new Map<TestBroker, string>();

beforeAll(async () => {
  // The same address in both pages: a port that is replaced in the text may be in a row as well.
  const advertised = { host: 'broker.example', port: 80 };
  waiting = await TestBroker.start({ advertised });
  // The first batches of a result are cached as soon as it is committed.
  warm = await TestBroker.start({ advertised }, { cacheBytesMax: 8 * 1024 * 1024 });
  for (const broker of [waiting, warm]) ids.set(broker, await broker.stored(2500));
});

afterAll(async () => {
  for (const broker of [waiting, warm]) await broker[Symbol.asyncDispose]();
});

/** An answer without the id of the result and the other members that differ between calls. */
async function ask(
  broker: TestBroker,
  query: string,
  options: Parameters<TestBroker['call']>[1] = {},
) {
  const id = ids.get(broker) ?? '';
  const headers = Object.fromEntries(
    Object.entries(options.headers ?? {}).map(([name, value]) => [
      name,
      value.replaceAll('ID', id),
    ]),
  );
  const answer: Answer = await broker.call(`/query/${id}/results${query}`, { ...options, headers });
  const plain = (text: string): string => text.replaceAll(id, 'ID');
  const { 'x-request-id': _id, date: _date, ...rest } = Object.fromEntries(answer.headers);
  return {
    status: answer.status,
    headers: JSON.parse(plain(JSON.stringify(rest))) as unknown,
    text: plain(answer.text),
  };
}

describe('a small page that is at hand is answered as one that is waited for:', () => {
  test.each<[query: string, options: Parameters<TestBroker['call']>[1]]>([
    ['?offset=0&numRows=1', {}],
    ['?offset=30&numRows=100', {}],
    ['?offset=7&numRows=3&format=csv', {}],
    ['?offset=7&numRows=3&format=ndjson', {}],
    ['?offset=7&numRows=3&format=arrow', {}],
    ['?offset=7&numRows=3', { headers: { accept: 'text/csv' } }],
    ['?offset=0&numRows=1', { method: 'HEAD' }],
    ['?offset=0&numRows=5', { headers: { 'if-none-match': '"ID-0-5-json-identity"' } }],
    ['?offset=0&numRows=100&format=csv', { headers: { range: 'bytes=10-30' } }],
    ['?offset=0&numRows=5&format=csv', { headers: { range: 'bytes=100000-' } }],
    ['?offset=2501&numRows=5', {}],
    ['?offset=0&numRows=0', {}],
    ['?offset=0&numRows=1', { headers: { connection: 'close' } }],
  ])(
    'a small page that is at hand is answered as one that is waited for: %s %j',
    async (query, options) => {
      expect(await ask(warm, query, options)).toEqual(await ask(waiting, query, options));
    },
  );

  test('a small page that is at hand is counted as one that is waited for', async () => {
    const served = async (broker: TestBroker): Promise<string[]> => {
      const { text } = await broker.call('/metrics');
      return text.split('\n').filter((line) => /^quire_(rows|bytes)_served_total/.test(line));
    };
    await ask(warm, '?offset=0&numRows=9&format=csv');
    await ask(waiting, '?offset=0&numRows=9&format=csv');
    const [ours, others] = await Promise.all([served(warm), served(waiting)]);
    expect(ours.filter((line) => line.includes('rows'))).toEqual(
      others.filter((line) => line.includes('rows')),
    );
    expect(ours).toHaveLength(others.length);
  });
});
