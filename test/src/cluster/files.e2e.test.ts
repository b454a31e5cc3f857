import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { CursorResponse, ProxyHealthResponse } from '@quire/api';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  answers,
  MisbehavingBroker,
  type Misconduct,
  writes,
} from '../testkit/servers/misbehaving-broker.ts';
import { temporaryDirectory, writeSettings } from '../testkit/cli-process.ts';
import {
  callCluster,
  type ClusterCall,
  type ClusterServer,
  startController,
  startFileBroker,
  startProxy,
  submitNumbers,
} from './cluster-processes.ts';
import { filesBelow } from '../testkit/files-below.ts';
import { sendRaw } from '../testkit/raw-request.ts';

/**
 * Brokers with files of their own, a proxy and a controller, each a process as `quire start` runs
 * it.
 */

let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
let config: string;
let brokers: readonly Awaited<ReturnType<typeof startFileBroker>>[];
let proxy: ClusterServer;

beforeAll(async () => {
  directory = await temporaryDirectory();
  config = await writeSettings(directory.path);
  brokers = await Promise.all(['one', 'two'].map((name) => startFileBroker(directory.path, name)));
  proxy = await startProxy(config, urlsOf(brokers));
});

afterAll(async () => {
  for (const each of [proxy, ...brokers, directory]) await each[Symbol.asyncDispose]();
});

const urlsOf = (servers: readonly { readonly url: string }[]): readonly string[] =>
  servers.map(({ url }) => url);
const forwardTo = ({ brokerHost = '', brokerPort = 0 }: CursorResponse) => ({
  FORWARD_HOST: brokerHost,
  FORWARD_PORT: String(brokerPort),
});
const pageOf = (
  { requestId }: CursorResponse,
  parameters: string,
  options: ClusterCall & { readonly at?: string } = {},
) => callCluster(`${options.at ?? proxy.url}/query/${requestId}/results?${parameters}`, options);
const numbersOf = ({ resultTable }: CursorResponse): unknown[] => resultTable.rows.map(([n]) => n);
const range = (start: number, end: number): number[] =>
  Array.from({ length: end - start }, (_, index) => start + index);

/** A result on each broker, by the order of the brokers. */
async function submitToEach(
  rowCount: number,
  pageRowCount: number,
): Promise<readonly CursorResponse[]> {
  const found = new Map<number | undefined, CursorResponse>();
  while (found.size < brokers.length) {
    const page = await submitNumbers(proxy.url, rowCount, pageRowCount);
    found.set(page.brokerPort, page);
  }
  return brokers.map(({ url }) => found.get(Number(new URL(url).port))!);
}

describe.each(['with', 'without'])(
  'a result on one of two brokers, %s the headers that say on which',
  (how) => {
    const headersFor = (result: CursorResponse) =>
      how === 'with' ? { headers: forwardTo(result) } : {};

    test('a result on one of two brokers is paged forward to its end and back, and in other sizes', async () => {
      for (const result of await submitToEach(1000, 300)) {
        const pages = [result];
        for (let page = result; page.nextOffsetParams !== null; pages.push(page)) {
          page = (await pageOf(result, page.nextOffsetParams, headersFor(result))).page;
        }
        expect(pages.flatMap(numbersOf)).toEqual(range(0, 1000));
        const back: number[] = [];
        for (let page = pages.at(-1); page.prevOffsetParams !== null; back.push(page.offset)) {
          page = (await pageOf(result, page.prevOffsetParams, headersFor(result))).page;
        }
        expect(back).toEqual([600, 300, 0]);
        expect(
          numbersOf((await pageOf(result, 'offset=995&numRows=7', headersFor(result))).page),
        ).toEqual(range(995, 1000));
      }
    });

    test('a result on one of two brokers is paged on when the proxy was killed and starts again', async () => {
      const results = await submitToEach(100, 10);
      await proxy[Symbol.asyncDispose]();
      proxy = await startProxy(config, urlsOf(brokers));
      for (const result of results) {
        const { status, page } = await pageOf(result, 'offset=90&numRows=10', headersFor(result));
        expect([status, numbersOf(page)]).toEqual([200, range(90, 100)]);
      }
      const { text } = await callCluster(`${proxy.url}/metrics`);
      expect(text).toContain(
        `quire_proxy_routed_total{by="${how === 'with' ? 'forward' : 'asked'}"} 2\n`,
      );
    });

    test('a result on one of two brokers is shown, listed, renewed and deleted', async () => {
      const results = await submitToEach(10, 2);
      const ids = results.map(({ requestId }) => requestId);
      for (const result of results) {
        const { requestId } = result;
        const call = (method: string, path: string, body?: object) =>
          callCluster(`${proxy.url}/query/${path}`, {
            method,
            ...headersFor(result),
            ...(body !== undefined && { body }),
          });
        const [record] = JSON.parse((await call('GET', `${requestId}/metadata`)).text) as {
          numRowsResultSet: number;
        }[];
        const renewed = await call('PATCH', `resultStore/${requestId}`, { expiration: '5h' });
        const { expirationTimeMs } = JSON.parse(renewed.text) as { expirationTimeMs: number };
        expect([record?.numRowsResultSet, renewed.status]).toEqual([10, 200]);
        expect(expirationTimeMs).toBeGreaterThan(Date.now() + 4 * 3_600_000);
      }
      const list = async (): Promise<readonly string[]> => {
        const { text } = await callCluster(`${proxy.url}/query/resultStore`);
        return (
          JSON.parse(text) as { resultMetadataList: CursorResponse[] }
        ).resultMetadataList.map(({ requestId }) => requestId);
      };
      expect(await list()).toEqual(expect.arrayContaining(ids));
      for (const result of results) {
        const path = `${proxy.url}/query/resultStore/${result.requestId}`;
        const deleted = await callCluster(path, { method: 'DELETE', ...headersFor(result) });
        expect(deleted.text).toBe(`Query Results for ${result.requestId} deleted.`);
        expect((await pageOf(result, 'offset=0', headersFor(result))).error).toMatchObject({
          code: 410,
          reason: 'RESULT_DELETED',
        });
      }
      expect((await list()).filter((id) => ids.includes(id))).toEqual([]);
    });
  },
);

describe('callers who mean harm', () => {
  const usual = 'Host: proxy\r\nAuthorization: Bearer admin-token\r\nConnection: close';
  const addressOf = (url: string) => ({ host: '127.0.0.1', port: Number(new URL(url).port) });

  test('callers who mean harm do not get the proxy to call an address of theirs', async () => {
    let connectionCount = 0;
    await using foreign = createServer();
    foreign.on('connection', () => (connectionCount += 1));
    await once(foreign.listen(0, '127.0.0.1'), 'listening');
    const { port } = foreign.address() as AddressInfo;
    const [result] = await submitToEach(10, 2);
    const own = Number(new URL(brokers[0]!.url).port);
    const targets = [
      `FORWARD_HOST: 127.0.0.1\r\nFORWARD_PORT: ${port}`,
      `FORWARD_HOST: localhost\r\nFORWARD_PORT: ${port}`,
      'FORWARD_HOST: 169.254.169.254\r\nFORWARD_PORT: 80',
      `FORWARD_HOST: [fe80::1]\r\nFORWARD_PORT: ${own}`,
      `FORWARD_HOST: 127.0.0.1@evil.example\r\nFORWARD_PORT: ${own}`,
      `FORWARD_HOST: 127.0.0.1%0d%0aX-Injected: 1\r\nFORWARD_PORT: ${own}`,
      `FORWARD_HOST: 127.0.0.1\rX-Injected: 1\r\nFORWARD_PORT: ${own}`,
      `FORWARD_HOST: 127.0.0.1\nX-Injected: 1\r\nFORWARD_PORT: ${own}`,
      `FORWARD_HOST: 127.0.0.1\r\nFORWARD_HOST: evil.example\r\nFORWARD_PORT: ${own}`,
      `FORWARD_HOST: 127.0.0.1\r\nFORWARD_PORT: ${own}\r\nFORWARD_PORT: ${port}`,
    ];
    const request = (headers: string): Promise<{ status: number }> =>
      sendRaw(
        addressOf(proxy.url),
        `GET /query/${result!.requestId}/results?offset=0 HTTP/1.1\r\n${usual}\r\n${headers}\r\n\r\n`,
      );
    const statuses = [];
    for (const target of targets) statuses.push((await request(target)).status);
    expect(statuses).toEqual(targets.map(() => 400));
    expect(connectionCount).toBe(0);
    // The same call with the right name is accepted.
    expect((await request(`FORWARD_HOST: 127.0.0.1\r\nFORWARD_PORT: ${own}`)).status).toBe(200);
  });

  const hidden =
    'DELETE /query/resultStore?expiredBefore=9007199254740991 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer admin-token\r\n\r\n';
  test.each([
    [
      'a length and chunks',
      'Content-Length: 4\r\nTransfer-Encoding: chunked',
      `0\r\n\r\n${hidden}`,
    ],
    ['two lengths', `Content-Length: 2\r\nContent-Length: ${2 + hidden.length}`, `{}${hidden}`],
    ['an unknown encoding', 'Transfer-Encoding: xchunked', `0\r\n\r\n${hidden}`, 501],
    ['a space before the colon', 'Transfer-Encoding : chunked', `0\r\n\r\n${hidden}`],
    ['a bare line feed', 'X: 1\nTransfer-Encoding: chunked', `0\r\n\r\n${hidden}`],
    ['a folded header', 'Transfer-Encoding:\r\n chunked', `0\r\n\r\n${hidden}`],
    [
      'a chunk longer than it says',
      'Transfer-Encoding: chunked',
      `2\r\n{}xx\r\n0\r\n\r\n${hidden}`,
    ],
  ] as const)(
    'callers who mean harm do not smuggle a deletion past the proxy, or past a broker: %s',
    async (_what, headers, body, status: number = 400) => {
      const [result] = await submitToEach(10, 2);
      for (const url of [proxy.url, brokers[0]!.url]) {
        const head = `POST /query/sql HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer admin-token\r\nContent-Type: application/json\r\n${headers}`;
        const answer = await sendRaw(addressOf(url), `${head}\r\n\r\n${body}`);
        expect([answer.status, answer.count]).toEqual([status, 1]);
      }
      expect((await pageOf(result!, 'offset=0')).status).toBe(200);
    },
  );
});

test('one broker hangs, one answers garbage, one is slow: pages, queries and cleaning of the other one go on', async () => {
  await using babbling = await MisbehavingBroker.start('babbling.example');
  await using slow = await MisbehavingBroker.start('slow.example');
  babbling.conduct = writes('SSH-2.0-OpenSSH_9.6\r\n');
  babbling.health = babbling.conduct;
  const released = Promise.withResolvers<void>();
  const answerLate: Misconduct = (response, call) => {
    const isList = call.url.startsWith('/query/resultStore') && call.method === 'GET';
    const answer = answers(200, isList ? '{"resultMetadataList":[]}' : '{"late":true}');
    void released.promise.then(() => answer(response, call));
  };
  slow.conduct = answerLate;
  const [good, hanging] = brokers as [(typeof brokers)[number], (typeof brokers)[number]];
  const [ofGood, ofHanging] = (await submitToEach(1000, 10)) as [CursorResponse, CursorResponse];
  const urls = urlsOf([good, hanging, babbling, slow]);
  await using front = await startProxy(config, urls);
  process.kill(hanging.process.pid, 'SIGSTOP');
  await using controller = await startController(config, urls);

  // More than one: a health check counts as a call as well, and equally busy brokers take turns.
  const late = range(0, 3).map(() =>
    pageOf(ofGood, 'offset=0', {
      at: front.url,
      headers: { FORWARD_HOST: 'slow.example', FORWARD_PORT: '8099' },
    }),
  );
  await slow.untilCalled(4); // these pages, and the controller's deletion
  // Unhealthy brokers need not have been detected yet.
  const pages = await Promise.all(
    range(0, 20).map((n) => pageOf(ofGood, `offset=${n * 50}&numRows=50`, { at: front.url })),
  );
  expect(pages.flatMap(({ page }) => numbersOf(page))).toEqual(range(0, 1000));

  const statesOf = async (): Promise<readonly string[]> =>
    ((await (await fetch(`${front.url}/health`)).json()) as ProxyHealthResponse).brokers.map(
      ({ state }) => state,
    );
  await expect.poll(statesOf).toEqual(['up', 'down', 'down', 'up']);
  for (let count = 0; count < 5; count += 1) {
    const { exceptions, brokerPort } = await submitNumbers(front.url, 5, 1);
    expect([exceptions, brokerPort]).toEqual([[], ofGood.brokerPort]);
  }
  const lost = await pageOf(ofHanging, 'offset=0', {
    at: front.url,
    headers: forwardTo(ofHanging),
  });
  expect([lost.status, lost.error.reason]).toEqual([503, 'BROKER_UNAVAILABLE']);

  // The controller still cleans the broker that works.
  const filesOf = async (result: CursorResponse): Promise<readonly string[]> =>
    (await filesBelow(good.data)).filter(
      (path) => /\.(arrow|json)$/.test(path) && path.includes(result.requestId),
    );
  expect((await filesOf(ofGood)).length).toBe(2);
  const renewal = { method: 'PATCH', body: { expiration: '1s' }, headers: forwardTo(ofGood) };
  expect(
    (await callCluster(`${front.url}/query/resultStore/${ofGood.requestId}`, renewal)).status,
  ).toBe(200);
  await expect.poll(() => filesOf(ofGood)).toEqual([]);
  const health = (await callCluster(`${controller.url}/cluster/health`)).text;
  expect(health).toContain(`"url":"${good.url}"`);

  released.resolve();
  expect((await Promise.all(late)).map(({ text }) => text)).toEqual(
    Array.from(late, () => '{"late":true}'),
  );
  const list = await callCluster(`${front.url}/query/resultStore`);
  expect([list.status, list.headers.get('x-quire-partial')?.split(', ').length]).toEqual([200, 2]);

  process.kill(hanging.process.pid, 'SIGCONT');
  await expect.poll(statesOf).toEqual(['up', 'up', 'down', 'up']);
  const back = await pageOf(ofHanging, 'offset=990', {
    at: front.url,
    headers: forwardTo(ofHanging),
  });
  expect(numbersOf(back.page)).toEqual(range(990, 1000));
});
