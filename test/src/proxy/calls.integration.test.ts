import type {
  ErrorBody,
  OwnedResultListResponse,
  ProxyHealthResponse,
  ResultListResponse,
  StoredResult,
  UsageResponse,
} from '@quire/api';
import { MemoryObjectStore } from '@quire/core/memory';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { scriptedRowsJson } from '../testkit/broker-engine.ts';
import type { TestBroker } from '../testkit/broker-server.ts';
import { forwardTo, startBroker, TestProxy } from '../testkit/proxy-server.ts';

let one: TestBroker;
let two: TestBroker;
let proxy: TestProxy;

beforeEach(async () => {
  [one, two] = [await startBroker('one'), await startBroker('two')];
  proxy = await TestProxy.start([one, two]);
});

afterEach(async () => {
  for (const each of [proxy, one, two]) await each[Symbol.asyncDispose]();
});

/** The rows of a JSON page as text. */
function rowsIn(text: string): string {
  return /"rows":(\[.*?\])\}/s.exec(text)?.[1] ?? '';
}

describe('a result behind the proxy', () => {
  test('a result behind the proxy is paged forward and back, in any page size, as the broker itself would', async () => {
    const first = await proxy.query('rows 2500', '?doPaginate=true&numRows=100');
    const { requestId, brokerHost, brokerPort, nextOffsetParams } = first.json();
    const second = await proxy.call(`/query/${requestId}/results?${nextOffsetParams}`);
    const back = await proxy.call(`/query/${requestId}/results?${second.json().prevOffsetParams}`);
    const large = await proxy.call(`/query/${requestId}/results?offset=1000&numRows=1500`);

    expect(first.json()).toMatchObject({
      offset: 0,
      numRows: 100,
      numRowsResultSet: 2500,
      nextOffsetParams: 'offset=100&numRows=100',
    });
    expect([brokerHost, brokerPort]).toEqual([expect.stringMatching(/^(one|two)\.example$/), 8099]);
    expect(rowsIn(second.text)).toBe(scriptedRowsJson(100, 200));
    expect(rowsIn(back.text)).toBe(scriptedRowsJson(0, 100));
    expect(rowsIn(large.text)).toBe(scriptedRowsJson(1000, 2500));
    expect(large.json().nextOffsetParams).toBe(null);
  });

  test('a result behind the proxy is read by a query at the broker that has it, also when this proxy has not learnt it', async () => {
    const direct = await two.call('/query/sql?doPaginate=true', {
      method: 'POST',
      body: JSON.stringify({ sql: 'rows 7' }),
    });
    const { requestId } = direct.json();
    for (let turn = 0; turn < 3; turn += 1) {
      const answer = await proxy.query(`rows 3 of result('${requestId}')`, '?doPaginate=true');
      expect(answer.json()).toMatchObject({ brokerId: 'Broker_two.example_8099', numRows: 3 });
    }
  });

  test('a result behind the proxy shows its metadata, is renewed and is deleted', async () => {
    const requestId = await proxy.stored(3);
    const metadata = await proxy.call(`/query/${requestId}/metadata`);
    const renewed = await proxy.call(`/query/resultStore/${requestId}`, {
      method: 'PATCH',
      body: '{"expiration":"2h"}',
    });
    const deleted = await proxy.call(`/query/resultStore/${requestId}`, { method: 'DELETE' });
    const gone = await proxy.call(`/query/${requestId}/results?offset=0`);

    expect(metadata.json<{ requestId: string }[]>().map((record) => record.requestId)).toEqual([
      requestId,
    ]);
    expect(renewed.json<StoredResult>().expirationTimeMs).toBe(one.clock.nowMs() + 7_200_000);
    expect([deleted.status, deleted.text]).toEqual([
      200,
      `Query Results for ${requestId} deleted.`,
    ]);
    expect([gone.status, gone.json<ErrorBody>().reason]).toEqual([410, 'RESULT_DELETED']);
  });

  test('a result behind the proxy is found by the headers that name its broker, by a proxy that has learnt nothing', async () => {
    const requestId = await two.stored(10);
    const found = await proxy.call(`/query/${requestId}/results?offset=5&numRows=2`, {
      headers: forwardTo('two'),
    });
    const elsewhere = await proxy.call(`/query/${requestId}/results?offset=5&numRows=2`, {
      headers: forwardTo('one'),
    });
    const { port } = two.address;
    const byAddress = await proxy.call(`/query/${requestId}/results?offset=5&numRows=2`, {
      headers: { forward_host: '127.0.0.1', forward_port: String(port) },
    });

    expect([found.status, rowsIn(found.text)]).toEqual([200, scriptedRowsJson(5, 7)]);
    expect([elsewhere.status, elsewhere.json<ErrorBody>().reason]).toEqual([
      404,
      'RESULT_NOT_FOUND',
    ]);
    expect(byAddress.text).toBe(found.text);
    expect(await proxy.metric('quire_proxy_routed_total{by="forward"}')).toBe(3);
  });

  test('a result behind the proxy is found by asking when nobody says where it is, and asked for once', async () => {
    const requestId = await two.stored(10);
    const answers = [];
    for (const offset of [0, 4, 8]) {
      answers.push(await proxy.call(`/query/${requestId}/results?offset=${offset}&numRows=2`));
    }

    expect(answers.map(({ text }) => rowsIn(text))).toEqual(
      [0, 4, 8].map((start) => scriptedRowsJson(start, start + 2)),
    );
    expect(await proxy.metric('quire_proxy_routed_total{by="asked"}')).toBe(1);
    expect(await proxy.metric('quire_proxy_routed_total{by="learnt"}')).toBe(2);
  });

  test('a result behind the proxy goes on after the proxy was restarted', async () => {
    const requestId = await proxy.stored(300);
    await proxy[Symbol.asyncDispose]();
    proxy = await TestProxy.start([one, two]);
    const page = await proxy.call(`/query/${requestId}/results?offset=100&numRows=50`);

    expect([page.status, rowsIn(page.text)]).toEqual([200, scriptedRowsJson(100, 150)]);
  });

  test('a result behind the proxy is for its owner alone', async () => {
    const requestId = await proxy.stored(3);
    const stranger = await proxy.call(`/query/${requestId}/results?offset=0`, { as: 'bob' });
    const admin = await proxy.call(`/query/${requestId}/results?offset=0`, { as: 'root' });
    const never = await proxy.call('/query/0190163d-8694-739b-aea5-966c26f8ad91/results?offset=0', {
      as: 'bob',
    });

    expect([stranger.status, admin.status, never.status]).toEqual([404, 200, 404]);
    expect(stranger.json<ErrorBody>().reason).toBe('RESULT_NOT_FOUND');
  });

  test('a result behind the proxy is refused to those without credentials, before any broker is called', async () => {
    const requestId = await proxy.stored(3);
    const ended = one.endedCalls.length + two.endedCalls.length;
    const nobody = await proxy.call(`/query/${requestId}/results?offset=0`, { as: undefined });
    const wrong = await proxy.call(`/query/${requestId}/results?offset=0`, {
      headers: { authorization: 'Bearer x' },
    });

    expect([nobody.status, nobody.headers.get('www-authenticate')]).toEqual([
      401,
      expect.stringContaining('Bearer'),
    ]);
    expect([wrong.status, wrong.headers.get('www-authenticate')]).toEqual([
      401,
      expect.stringContaining('Basic'),
    ]);
    expect(one.endedCalls.length + two.endedCalls.length).toBe(ended);
  });
});

describe('what a page says of itself', () => {
  test('what a page says of itself comes through as it is: entity tag, 304, compression, other formats, HEAD', async () => {
    const requestId = await proxy.stored(3000);
    const path = `/query/${requestId}/results?offset=0&numRows=3000`;
    const owner = one.engine.queries.length > 0 ? one : two;
    const page = await proxy.call(path);
    const unchanged = await proxy.call(path, {
      headers: { 'if-none-match': page.headers.get('etag') ?? '' },
    });
    const zipped = await proxy.call(path, { headers: { 'accept-encoding': 'gzip' } });
    const csv = await proxy.call(`${path}&format=csv`);
    const arrow = await proxy.call(`${path}&format=arrow`);
    const head = await proxy.call(path, { method: 'HEAD' });
    const direct = await owner.call(path);

    expect(page.text).toBe(direct.text);
    expect(page.headers.get('etag')).toBe(direct.headers.get('etag'));
    expect([unchanged.status, unchanged.text, unchanged.headers.get('etag')]).toEqual([
      304,
      '',
      page.headers.get('etag'),
    ]);
    expect([zipped.headers.get('content-encoding'), zipped.text]).toEqual(['gzip', page.text]);
    expect(csv.headers.get('quire-num-rows')).toBe('3000');
    expect(csv.text).toBe((await owner.call(`${path}&format=csv`)).text);
    expect(arrow.bytes.equals((await owner.call(`${path}&format=arrow`)).bytes)).toBe(true);
    expect([head.status, head.text, head.headers.get('etag')]).toEqual([
      200,
      '',
      page.headers.get('etag'),
    ]);
    expect(page.headers.get('via')).toBe('1.1 quire-proxy');
  });

  test('errors come through in the words of the broker', async () => {
    const requestId = await proxy.stored(3);
    const outside = await proxy.call(`/query/${requestId}/results?offset=4`);
    const invalid = await proxy.call(`/query/${requestId}/results?offset=-1`);
    const noId = await proxy.call('/query/never/results?offset=0');
    const noJson = await proxy.call('/query/sql', { method: 'POST', body: '{' });
    const media = await proxy.call('/query/sql', {
      method: 'POST',
      body: '{}',
      headers: { 'content-type': 'text/plain' },
    });
    const failed = await proxy.query('fail TABLE_NOT_FOUND', '?doPaginate=true');

    expect([outside.status, invalid.status, noId.status, noJson.status, media.status]).toEqual([
      416, 400, 404, 400, 415,
    ]);
    expect(failed.json().exceptions).toEqual([
      { errorCode: 190, message: 'The script says TABLE_NOT_FOUND.' },
    ]);
  });
});

const usage = (bytes: number, shareBytes: number | null): UsageResponse => ({
  resultCount: 1,
  usageBytes: bytes,
  shareBytes,
  totalUsageBytes: 10 * bytes,
  quotaBytes: 1000,
});

describe('all brokers together', () => {
  test('all brokers together list the own results of everyone, with their queries', async () => {
    await one.stored(1, 'ann');
    await two.stored(2, 'bob');
    await one.clock.advance(1000);
    await two.clock.advance(1000);
    await two.stored(3, 'ann');
    const list = await proxy.call('/query/resultStore?own=true', { as: 'ann' });
    const { resultMetadataList } = list.json<OwnedResultListResponse>();
    expect(resultMetadataList.map(({ brokerId, sql }) => [brokerId, sql])).toEqual([
      ['Broker_two.example_8099', 'rows 3'],
      ['Broker_one.example_8099', 'rows 1'],
    ]);
  });

  test.each([
    ['with shares', 50, 150],
    ['one without a share', null, null],
  ])('all brokers together add up what a caller stores: %s', async (_case, share, sum) => {
    const asked: string[] = [];
    const usageOf =
      (bytes: number, shareBytes: number | null) =>
      (name: string): UsageResponse => {
        asked.push(name);
        return usage(bytes, shareBytes);
      };
    await using three = await startBroker('three', { usageOf: usageOf(5, 100) });
    await using four = await startBroker('four', { usageOf: usageOf(7, share) });
    await using both = await TestProxy.start([three, four]);
    expect((await both.call('/query/usage', { as: 'ann' })).json()).toEqual({
      resultCount: 2,
      usageBytes: 12,
      shareBytes: sum,
      totalUsageBytes: 120,
      quotaBytes: 2000,
    });
    expect(asked).toEqual(['ann', 'ann']);
  });

  test('all brokers together are listed newest first, by those who may', async () => {
    const ids: string[] = [];
    for (const broker of [one, two, one, two, two]) {
      ids.unshift(await broker.stored(1));
      for (const each of [one, two]) await each.clock.advance(1000);
    }
    const list = await proxy.call('/query/resultStore', { as: 'root' });
    const head = await proxy.call('/query/resultStore', { as: 'root', method: 'HEAD' });
    const denied = await proxy.call('/query/resultStore', { as: 'ann' });

    const { resultMetadataList } = list.json<ResultListResponse>();
    expect(resultMetadataList.map(({ requestId }) => requestId)).toEqual(ids);
    expect(resultMetadataList.map(({ brokerId }) => brokerId)).toEqual(
      ['two', 'two', 'one', 'two', 'one'].map((name) => `Broker_${name}.example_8099`),
    );
    expect(list.headers.get('x-quire-partial')).toBe(null);
    expect([head.status, head.text]).toEqual([200, '']);
    expect([denied.status, denied.json<ErrorBody>().reason]).toEqual([403, 'FORBIDDEN']);
  });

  test('all brokers together delete what has expired, and the proxy adds up how much', async () => {
    for (const broker of [one, two, two]) await broker.stored(1);
    const kept = await proxy.call('/query/resultStore?expiredBefore=0', {
      as: 'root',
      method: 'DELETE',
    });
    const deleted = await proxy.call(`/query/resultStore?expiredBefore=${Date.UTC(2030, 0)}`, {
      as: 'root',
      method: 'DELETE',
    });
    const invalid = await proxy.call('/query/resultStore?expiredBefore=x', {
      as: 'root',
      method: 'DELETE',
    });
    const denied = await proxy.call('/query/resultStore', { as: 'bob', method: 'DELETE' });

    expect([kept.text, deleted.text]).toEqual([
      'Deleted 0 expired response(s).',
      'Deleted 3 expired response(s).',
    ]);
    expect([invalid.status, denied.status]).toEqual([400, 403]);
    expect([await one.objectKeys(), await two.objectKeys()]).toEqual([[], []]);
  });

  test('all brokers together share the queries between them', async () => {
    for (let count = 0; count < 6; count += 1) await proxy.query('rows 1');
    expect([one.engine.queries.length, two.engine.queries.length]).toEqual([3, 3]);
  });

  test('all brokers together are given a query where the least is going on', async () => {
    const ending = new AbortController();
    const hanging = proxy.query('hang', '', { signal: ending.signal }).catch(() => 'gone');
    await Promise.race([one.engine.untilHanging(), two.engine.untilHanging()]);
    const [busy, idle] = one.engine.queries.length === 1 ? [one, two] : [two, one];
    for (let count = 0; count < 4; count += 1) await proxy.query('rows 1');

    expect([busy.engine.queries.length, idle.engine.queries.length]).toEqual([1, 4]);
    ending.abort();
    await hanging;
  });
});

describe('a broker that is gone', () => {
  test('a broker that is gone costs its own results, and nobody else’s', async () => {
    const [ofOne, ofTwo] = [await one.stored(10), await two.stored(10)];
    await proxy.call(`/query/${ofOne}/results?offset=0`);
    await one[Symbol.asyncDispose]();

    const kept = await proxy.call(`/query/${ofTwo}/results?offset=0&numRows=2`);
    const lost = await proxy.call(`/query/${ofOne}/results?offset=0`);
    const named = await proxy.call(`/query/${ofOne}/results?offset=0`, {
      headers: forwardTo('one'),
    });
    const never = await proxy.call('/query/0190163d-8694-739b-aea5-966c26f8ad91/results?offset=0');
    const queries = [];
    for (let count = 0; count < 4; count += 1) queries.push((await proxy.query('rows 1')).status);
    const list = await proxy.call('/query/resultStore', { as: 'root' });
    const swept = await proxy.call('/query/resultStore', { as: 'root', method: 'DELETE' });

    expect([kept.status, rowsIn(kept.text)]).toEqual([200, scriptedRowsJson(0, 2)]);
    expect([lost.status, lost.json<ErrorBody>().reason]).toEqual([503, 'BROKER_UNAVAILABLE']);
    expect([named.status, named.json<ErrorBody>().reason]).toEqual([503, 'BROKER_UNAVAILABLE']);
    expect([never.status, never.json<ErrorBody>().reason]).toEqual([503, 'BROKER_UNAVAILABLE']);
    expect(queries).toEqual([200, 200, 200, 200]);
    expect(
      list.json<ResultListResponse>().resultMetadataList.map(({ requestId }) => requestId),
    ).toEqual([ofTwo]);
    expect(list.headers.get('x-quire-partial')).toBe('Broker_one.example_8099');
    expect([swept.text, swept.headers.get('x-quire-partial')]).toEqual([
      'Deleted 0 expired response(s).',
      'Broker_one.example_8099',
    ]);
  });

  test('a broker that is gone is not missed where all share a store', async () => {
    const store = new MemoryObjectStore({ sizeMaxBytes: 1e7 });
    const shared = { storeLocation: 's3://results', isStoreShared: true, advertised: undefined };
    await using left = await startBroker('left', shared, { store, isShared: true });
    await using right = await startBroker('right', shared, { store, isShared: true });
    await using front = await TestProxy.start([left, right]);
    const requestId = await front.stored(300);
    const owner = left.engine.queries.length > 0 ? left : right;
    await owner[Symbol.asyncDispose]();

    for (let offset = 0; offset < 300; offset += 100) {
      const page = await front.call(`/query/${requestId}/results?offset=${offset}&numRows=100`);
      expect([page.status, rowsIn(page.text)]).toEqual([
        200,
        scriptedRowsJson(offset, offset + 100),
      ]);
    }
  });

  test('a broker that is gone is a 404 nowhere, once all that are left say so, when the settings say that the store is shared', async () => {
    const store = new MemoryObjectStore({ sizeMaxBytes: 1e7 });
    await using left = await startBroker('left', {}, { store, isShared: true });
    await using front = await TestProxy.start([left, { url: 'http://127.0.0.1:1' }], {
      isStoreShared: true,
    });
    const never = await front.call('/query/0190163d-8694-739b-aea5-966c26f8ad91/results?offset=0');
    expect([never.status, never.json<ErrorBody>().reason]).toEqual([404, 'RESULT_NOT_FOUND']);
  });
});

test.each(['auto', true] as const)(
  'a query that runs is found where it runs, also in a shared store (%s)',
  async (isStoreShared) => {
    const store = new MemoryObjectStore({ sizeMaxBytes: 1e7 });
    const shared = { storeLocation: 's3://results', isStoreShared: true, advertised: undefined };
    await using left = await startBroker(
      'left',
      { ...shared, hostName: '127.0.0.1' },
      { store, isShared: true },
    );
    await using right = await startBroker(
      'right',
      { ...shared, hostName: '127.0.0.1' },
      { store, isShared: true },
    );
    await using front = await TestProxy.start([left, right], { isStoreShared });
    const first = await front.query(
      'rows 3000 then wait',
      '?doPaginate=true&async=true&numRows=100',
    );
    const { requestId } = first.json();
    const runner = left.engine.queries.length > 0 ? left : right;
    // Another proxy has cached nothing. It first asks the broker that does not run the query, which
    // is the first one of its list.
    await using other = await TestProxy.start(runner === left ? [left, right] : [right, left], {
      isStoreShared,
    });
    for (const each of [front, other]) {
      const page = await each.call(`/query/${requestId}/results?offset=100&numRows=100`);
      expect([page.status, rowsIn(page.text), page.json().state]).toEqual([
        200,
        scriptedRowsJson(100, 200),
        'RUNNING',
      ]);
      expect((await each.call(`/query/${requestId}`)).json()).toMatchObject({
        requestId,
        state: 'RUNNING',
      });
      expect((await each.call('/queries')).json()).toMatchObject({
        queries: [{ requestId, owner: 'ann' }],
      });
    }
    expect(await other.metric('quire_proxy_routed_total{by="named"}')).toBe(1); // the other broker said which one
    expect((await other.call(`/query/${requestId}`, { method: 'DELETE' })).text).toBe(
      `Query ${requestId} cancelled.`,
    );
    expect(
      (await front.call(`/query/${requestId}/results?offset=100`)).json<ErrorBody>().reason,
    ).toBe('QUERY_CANCELLED');
    expect((await front.call('/queries')).json()).toEqual({ queries: [] });
  },
);

test('the proxy tells how its brokers are, without saying where', async () => {
  await two[Symbol.asyncDispose]();
  for (let count = 0; count < 3; count += 1) await proxy.nextRound();
  const health = await proxy.call('/health', { as: undefined });

  expect(health.json<ProxyHealthResponse>()).toEqual({
    status: 'degraded',
    version: '1.2.3',
    uptimeMs: proxy.clock.monotonicMs(),
    brokers: [
      { brokerId: 'Broker_one.example_8099', state: 'up', callsRunning: 0 },
      { brokerId: 'Broker_two.example_8099', state: 'down', callsRunning: 0 },
    ],
  });
  expect(
    await proxy.metric('quire_proxy_broker_ejections_total{broker="Broker_two.example_8099"}'),
  ).toBe(1);
});
