import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ErrorBody, ProxyHealthResponse } from '@quire/api';
import { CallLimits } from '@quire/auth';
import { ManualClock } from '@quire/core/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  answers,
  cutsOff,
  hangs,
  MisbehavingBroker,
  type Misconduct,
  resets,
  stopsInTheMiddle,
  writes,
} from '../testkit/servers/misbehaving-broker.ts';
import { scriptedRowsJson } from '../testkit/broker-engine.ts';
import type { TestBroker } from '../testkit/broker-server.ts';
import { type LogLine, recordingLogger, untilLogged } from '../testkit/broker-log.ts';
import { startBroker, TestProxy } from '../testkit/proxy-server.ts';
import { sendRaw } from '../testkit/raw-request.ts';

let odd: MisbehavingBroker;
let good: TestBroker;
let proxy: TestProxy;
let lines: LogLine[];
const forwardToOdd = { forward_host: 'odd.example', forward_port: '8099' };
const id = '0190163d-8694-739b-aea5-966c26f8ad91';
const oddPage = `/query/${id}/results?offset=0`;

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

const callOdd = (method = 'GET', path = oddPage) =>
  proxy.call(path, { method, headers: forwardToOdd });

/** A page of the working broker, while the other one misbehaves. */
async function expectGoodPages(requestId: string): Promise<void> {
  const page = await proxy.call(`/query/${requestId}/results?offset=10&numRows=5`);
  expect([page.status, page.text.includes(scriptedRowsJson(10, 15))]).toEqual([200, true]);
}

describe('a broker that does not answer as it should', () => {
  const noAnswers: readonly [string, Misconduct][] = [
    ['resets the connection', resets],
    ['says what is not HTTP', writes('SSH-2.0-OpenSSH_9.6\r\n')],
    ['gives a status that is not one', writes('HTTP/1.1 2x0 OK\r\nContent-Length: 2\r\n\r\n{}')],
    [
      'gives two lengths',
      writes('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}'),
    ],
    ['splits its head', writes('HTTP/1.1 200 OK\r\nX: a\rb\r\nContent-Length: 2\r\n\r\n{}')],
    [
      'does not say where its answer ends',
      writes('HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n{"half":'),
    ],
    [
      'ends its answer with the connection',
      writes('HTTP/1.1 200 OK\r\nTransfer-Encoding: identity\r\n\r\n{"half":'),
    ],
    [
      'codes its answer',
      writes('HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n'),
    ],
    ['closes the connection', writes('')],
  ];

  test.each(noAnswers)(
    'a broker that does not answer as it should gives 502 where it %s, and is tried for a page twice',
    async (_what, conduct) => {
      odd.conduct = conduct;
      const answer = await callOdd();
      expect([answer.status, answer.json<ErrorBody>().reason]).toEqual([502, 'BROKER_FAILED']);
      expect(answer.text).not.toMatch(/127\.0\.0\.1|ECONN/);
      expect(odd.calls.length).toBe(2);
    },
  );

  test.each(noAnswers)(
    'a broker that does not answer as it should gets no query, deletion or renewal twice where it %s',
    async (_what, conduct) => {
      odd.conduct = conduct;
      await good[Symbol.asyncDispose]();
      await using alone = await TestProxy.start([odd]);
      const query = await alone.query('rows 1', '?doPaginate=true');
      const deleted = await alone.call(`/query/resultStore/${id}`, {
        method: 'DELETE',
        headers: forwardToOdd,
      });
      const body = '{"expiration":"1h"}';
      const renewed = await alone.call(`/query/resultStore/${id}`, {
        method: 'PATCH',
        headers: forwardToOdd,
        body,
      });
      expect([query.status, deleted.status, renewed.status]).toEqual([502, 502, 502]);
      expect(odd.calls.map(({ method }) => method)).toEqual(['POST', 'DELETE', 'PATCH']);
    },
  );

  test('a broker that does not answer as it should is down after three failures in a row, and up again when it is well', async () => {
    odd.conduct = resets;
    const rounds = await proxy.roundCount();
    for (let count = 0; count < 2; count += 1) await callOdd('DELETE', `/query/resultStore/${id}`);
    // Each failure is followed by a check, which the broker passes: only failures of calls and
    // checks in a row count.
    odd.health = resets;
    await proxy.untilRound(rounds + 1);
    await callOdd('DELETE', `/query/resultStore/${id}`);
    while (!lines.some(({ msg }) => msg === 'broker is down')) await proxy.nextRound();
    const down = (await proxy.call('/health')).json<ProxyHealthResponse>();
    const calls = odd.calls.length;
    const refused = await callOdd();
    odd.health = answers(200, JSON.stringify({ brokerId: odd.brokerId, storeType: 'fs' }));
    odd.conduct = answers(200, '{}');
    await proxy.nextRound();
    const back = await callOdd();

    expect(down).toMatchObject({
      status: 'degraded',
      brokers: [{ brokerId: odd.brokerId, state: 'down' }, { state: 'up' }],
    });
    expect([refused.status, refused.json<ErrorBody>().reason, odd.calls.length]).toEqual([
      503,
      'BROKER_UNAVAILABLE',
      calls + 1,
    ]);
    expect(back.status).toBe(200);
    expect(
      lines.filter(({ level, msg }) => level === 'warn' && msg === 'broker is down').length,
    ).toBe(1);
  });

  test.each<[string, Misconduct]>([
    ['is not a broker of Quire', answers(200, '{"status":"ok"}')],
    ['names itself strangely', answers(200, '{"brokerId":"Broker_x\\r\\ny_1","storeType":"fs"}')],
    ['is not at home', answers(500, '{}')],
    ['shuts down', answers(503, '{}')],
    [
      'has much to say',
      answers(200, `{"brokerId":"Broker_x_1","storeType":"fs","more":"${'x'.repeat(70_000)}"}`),
    ],
  ])(
    'a broker that does not answer as it should gets no queries when by its health it %s',
    async (_what, health) => {
      odd.health = health;
      await using other = await TestProxy.start([odd, good]);
      const statuses = [];
      for (let count = 0; count < 4; count += 1) {
        statuses.push((await other.query('rows 1')).status);
      }
      expect(statuses).toEqual([200, 200, 200, 200]);
      expect(odd.calls).toEqual([]);
    },
  );

  test('a broker that does not answer as it should to queries, though its health is good, gets one now and then until it is well, and the others the rest', async () => {
    odd.conduct = resets;
    const ask = async (count: number): Promise<number> => {
      const before = odd.calls.length;
      for (let asked = 0; asked < count; asked += 1) {
        await proxy.query('rows 1', '?doPaginate=true');
      }
      return odd.calls.length - before;
    };
    const rounds = await proxy.roundCount();
    const atFirst = await ask(10);
    // The failure caused a check at once; after two more checks, it is used again.
    await proxy.untilRound(rounds + 1);
    const meanwhile = await ask(10);
    await proxy.nextRound();
    await proxy.nextRound();
    const later = await ask(10);
    expect([atFirst, meanwhile, later]).toEqual([1, 0, 1]);
  });

  test('a broker that does not answer as it should that refuses connections is passed over, and the query runs once, elsewhere', async () => {
    await odd[Symbol.asyncDispose]();
    const answers_ = [];
    for (let count = 0; count < 4; count += 1) {
      answers_.push(await proxy.query('rows 1', '?doPaginate=true'));
    }
    expect(answers_.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(good.engine.queries.length).toBe(4);
  });
});

describe('a broker that shuts down', () => {
  const refuses = answers(503, '{"code":503,"error":"down","reason":"SHUTTING_DOWN"}', {
    connection: 'close',
  });

  test('a broker that shuts down refuses a page, which another one of its store is asked for', async () => {
    await using shared = await TestProxy.start([odd, good], { isStoreShared: true });
    const requestId = await good.stored(20);
    odd.conduct = refuses;
    const pages = [];
    // The cached broker is asked first, so the first call decides which broker the others reach.
    for (let count = 0; count < 4; count += 1) {
      const headers = count === 0 ? forwardToOdd : {};
      pages.push(await shared.call(`/query/${requestId}/results?offset=10&numRows=5`, { headers }));
    }
    expect(pages.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(odd.calls.length).toBeGreaterThan(0);
  });

  test('a broker that shuts down is the only one with a result: its refusal reaches the caller', async () => {
    odd.conduct = refuses;
    const answer = await callOdd();
    expect([answer.status, answer.json<ErrorBody>().reason, odd.calls.length]).toEqual([
      503,
      'SHUTTING_DOWN',
      1,
    ]);
  });

  test('a broker that shuts down may have begun a deletion, which is sent to no other', async () => {
    await using shared = await TestProxy.start([odd, good], { isStoreShared: true });
    const requestId = await good.stored(20);
    odd.conduct = refuses;
    const path = `/query/resultStore/${requestId}`;
    const deleted = await shared.call(path, { method: 'DELETE', headers: forwardToOdd });
    const page = await shared.call(`/query/${requestId}/results?offset=0`);
    expect([deleted.status, page.status]).toEqual([503, 200]);
  });
});

describe('a broker that hangs', () => {
  /** A health check sleeps until the timeouts of its head and of its whole answer. */
  const sleepsOfCheck = 2;

  test('a broker that hangs holds up nobody else, and its own callers only for a time', async () => {
    // No health check is due in the half minute, which would leave its answer no real time.
    await proxy[Symbol.asyncDispose]();
    proxy = await TestProxy.start([odd, good], { healthIntervalMs: 60_000 });
    odd.conduct = hangs;
    const requestId = await good.stored(20);
    const waiting = callOdd();
    await odd.untilCalled();
    await expectGoodPages(requestId);
    await proxy.clock.advance(30_000);
    const answer = await waiting;
    expect([answer.status, answer.json<ErrorBody>().reason]).toEqual([504, 'BROKER_TIMED_OUT']);
    expect(odd.calls.filter(({ url }) => url === oddPage).length).toBe(1);
    await expectGoodPages(requestId);
  });

  test('a broker that hangs is waited for longer when it runs a query, and the query goes nowhere else', async () => {
    odd.conduct = hangs;
    await good[Symbol.asyncDispose]();
    await using alone = await TestProxy.start([odd]);
    const waiting = alone.query('rows 1');
    await odd.untilCalled();
    await alone.clock.advance(69_000);
    odd.health = hangs;
    const state = await Promise.race([waiting, alone.call('/health').then(() => 'still waiting')]);
    await alone.clock.advance(1000);
    const answer = await waiting;
    expect([state, answer.status, odd.calls.length]).toEqual(['still waiting', 504, 1]);
  });

  test('a broker that hangs at its health check is down after three of them', async () => {
    odd.health = hangs;
    for (let round = 1; round <= 3; round += 1) {
      const [rounds, checks] = [await proxy.roundCount(), odd.healthCheckCount];
      await proxy.clock.advance(5000);
      await odd.untilChecked(checks + 1);
      // The other broker was asked at the same time, and must have answered: it has the same time.
      await expect.poll(() => proxy.clock.sleeperCount).toBe(sleepsOfCheck);
      await proxy.clock.advance(2000);
      await proxy.untilRound(rounds + 1);
    }
    expect(
      (await proxy.call('/health')).json<ProxyHealthResponse>().brokers.map(({ state }) => state),
    ).toEqual(['down', 'up']);
    expect((await proxy.query('rows 1')).status).toBe(200);
  });

  test('a broker that hangs when it is asked for a result is not waited for where another one has it', async () => {
    odd.conduct = hangs;
    const requestId = await good.stored(20);
    await expectGoodPages(requestId);
    expect(odd.calls.map(({ method, url }) => [method, url])).toEqual([
      ['HEAD', `/query/${requestId}/metadata`],
    ]);
  });

  test('a broker that hangs leaves open whether there is a result: 503, not 404', async () => {
    odd.conduct = hangs;
    const waiting = proxy.call(oddPage);
    await odd.untilCalled();
    await proxy.clock.advance(2000);
    const answer = await waiting;
    expect([answer.status, answer.json<ErrorBody>().reason]).toEqual([503, 'BROKER_UNAVAILABLE']);
  });

  test('a broker that hangs has no part in a list, which says so', async () => {
    odd.conduct = hangs;
    const requestId = await good.stored(1);
    const waiting = proxy.call('/query/resultStore', { as: 'root' });
    await odd.untilCalled();
    // The other broker was asked at the same time, and must have answered: it has the same time.
    await expect
      .poll(async () => {
        const { brokers } = (await proxy.call('/health')).json<ProxyHealthResponse>();
        return brokers.map(({ callsRunning }) => callsRunning);
      })
      .toEqual([1, 0]);
    await proxy.clock.advance(30_000);
    const list = await waiting;
    expect([list.status, list.headers.get('x-quire-partial')]).toEqual([
      200,
      'Broker_odd.example_8099',
    ]);
    expect(list.text).toContain(requestId);
  });
});

describe('an answer that breaks off', () => {
  test.each<[string, Misconduct]>([
    ['within its announced length', cutsOff(false)],
    ['between its chunks', cutsOff(true)],
  ])('an answer that breaks off breaks off for the client as well: %s', async (_what, conduct) => {
    odd.conduct = conduct;
    await expect(callOdd()).rejects.toThrow('terminated');
    await untilLogged(lines, 'call aborted');
    expect(odd.calls.length).toBe(1);
    expect(lines.find(({ msg }) => msg === 'call aborted')).toMatchObject({
      status: 502,
      broker: odd.brokerId,
    });
  });

  test('an answer that breaks off after which nothing comes is given up', async () => {
    odd.conduct = stopsInTheMiddle;
    const waiting = fetch(`${proxy.address.url}${oddPage}`, {
      headers: { authorization: 'Bearer ann-token', ...forwardToOdd },
    });
    const response = await waiting;
    expect(response.status).toBe(200);
    const reading = response.text();
    reading.catch(() => undefined);
    await proxy.clock.advance(30_000);
    await expect(reading).rejects.toThrow('terminated');
    await odd.untilClosed();
  });

  test.each([
    ['502 when nothing of it has gone out', 2, 502],
    ['a broken answer otherwise', 2000, 'TypeError: terminated'],
  ] as const)(
    'a list of one broker that breaks off gives %s',
    async (_what, entryCount, expected) => {
      const entry = {
        requestId: id,
        brokerId: odd.brokerId,
        submissionTimeMs: 1,
        expirationTimeMs: 2,
        responseMetadata: [],
      };
      const entries = Array.from({ length: entryCount }, (_, index) =>
        JSON.stringify({ ...entry, requestId: `${id}-${index}` }),
      );
      odd.conduct = (response) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.write(`{"resultMetadataList":[${entries.join()},`, () =>
          response.socket?.destroy(),
        );
      };
      await good.stored(1);
      const outcome = await proxy.call('/query/resultStore', { as: 'root' }).then(
        ({ status }) => status,
        (error: unknown) => String(error),
      );
      expect(outcome).toBe(expected);
    },
  );

  test.each([
    '[1,2]',
    '[{},{}]',
    '{"a":{}}',
    '{"a":[1]}',
    '{"a":["x"]}',
    '{"resultMetadataList":[{"requestId":1}]}',
    '{"resultMetadataList":[',
    'x',
  ])(
    'an answer that breaks off or is not a list at all leaves its broker out: %s',
    async (body) => {
      odd.conduct = answers(200, body);
      const list = await proxy.call('/query/resultStore', { as: 'root' });
      expect([list.status, list.headers.get('x-quire-partial'), list.text]).toEqual([
        200,
        'Broker_odd.example_8099',
        '{"resultMetadataList":[]}',
      ]);
    },
  );
});

describe('a call whose body is not read to its end', () => {
  /** A query about a result, longer than what is read of it at once, and a call after it. */
  const queryAndPage = (): string => {
    const body = JSON.stringify({ sql: `SELECT result('${id}') ${'x'.repeat(1_500_000)}` });
    const headers = 'Host: proxy\r\nAuthorization: Bearer ann-token\r\n';
    return (
      `POST /query/sql HTTP/1.1\r\n${headers}Content-Length: ${body.length}\r\n\r\n${body}` +
      `GET /health HTTP/1.1\r\n${headers}Connection: close\r\n\r\n`
    );
  };

  test('a call whose body is not read to its end, because no broker can be asked for its result, leaves its connection usable', async () => {
    const nowhere = [{ url: 'http://127.0.0.1:9' }, { url: 'http://127.0.0.1:11' }];
    await using away = await TestProxy.start(nowhere, { bodyBytesMax: 4_000_000 });
    const answer = await sendRaw(away.address, queryAndPage());
    expect([answer.status, answer.count]).toEqual([503, 2]);
  });

  test('a call whose body is not read to its end, because its broker answers early, leaves its connection usable', async () => {
    const server = createServer((request, response) => {
      const isHealth = request.url === '/health';
      response.writeHead(isHealth ? 200 : 429, { 'content-length': 2 }).end('{}');
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    try {
      await using hasty = await TestProxy.start([{ url: `http://127.0.0.1:${port}` }], {
        bodyBytesMax: 4_000_000,
      });
      const answer = await sendRaw(hasty.address, queryAndPage());
      expect([answer.status, answer.count]).toEqual([429, 2]);
    } finally {
      server.close();
      server.closeAllConnections();
    }
  });
});

test.each([
  ['a query', 'POST', '/query/sql'],
  ['a page of a result that has to be looked for', 'GET', oddPage],
  ['a list of results', 'GET', '/query/resultStore'],
] as const)(
  'a broker that holds its caller back is heard: %s is answered 429, with the time to wait',
  async (_name, method, path) => {
    const settings = {
      callsPerSecondMax: 1,
      callsRunningMax: Infinity,
      failuresPerMinuteMax: Infinity,
    };
    await using broker = await startBroker('busy', {
      limits: new CallLimits(() => settings, new ManualClock()),
    });
    await using proxy = await TestProxy.start([broker]);
    const call = () =>
      proxy.call(path, {
        as: 'root',
        method,
        ...(method === 'POST' && { body: JSON.stringify({ sql: 'rows 1' }) }),
      });
    let answer = await call();
    // The search for the result is a call to the broker as well.
    if (answer.status !== 429) answer = await call();

    expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '1']);
    expect(answer.json()).toMatchObject({ code: 429, reason: 'TOO_MANY_REQUESTS' });
  },
);
