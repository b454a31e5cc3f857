import { CallLimits } from '@quire/auth';
import { ManualClock } from '@quire/core/testing';
import { expect, test } from 'vitest';
import type { TestBroker } from '../testkit/broker-server.ts';
import { startBroker, TestProxy } from '../testkit/proxy-server.ts';

const unlimited = { callsPerSecondMax: Infinity, callsRunningMax: Infinity };

/**
 * A broker that checks two wrong credentials a minute of each address, and trusts the proxy to name
 * addresses.
 */
function startStrictBroker(name: string): Promise<TestBroker> {
  const limits = new CallLimits(
    () => ({ ...unlimited, failuresPerMinuteMax: 2 }),
    new ManualClock(),
  );
  return startBroker(name, { limits, trustedProxies: ['127.0.0.1'] });
}

// The proxy's own calls carried no X-Forwarded-For: wrong tokens of one address locked the right
// token of another one out.
test.each([
  ['a list of queries', 'GET', '/queries'],
  ['a list of results', 'GET', '/query/resultStore'],
  ["a list in Apache Pinot's dialect", 'GET', '/responseStore'],
  ['a deletion of expired results', 'DELETE', '/query/resultStore'],
  ['a search for the broker that holds a result', 'GET', undefined],
])(
  'wrong credentials of one address lock out no other address at the brokers: %s',
  async (_call, method, path) => {
    await using one = await startStrictBroker('one');
    await using other = await startStrictBroker('other');
    await using proxy = await TestProxy.start([one, other]);
    const pages = [one, other].map(
      async (broker) => `/query/${await broker.createDirectly(3)}/results?offset=0`,
    );
    const paths = path === undefined ? await Promise.all(pages) : [path];
    const callFrom = async (address: string, token: string): Promise<readonly number[]> => {
      const headers = { authorization: `Bearer ${token}`, 'x-forwarded-for': address };
      const answers = await Promise.all(
        paths.map((each) => proxy.call(each, { method, as: undefined, headers })),
      );
      return answers.map(({ status }) => status);
    };

    for (const guess of ['a', 'b', 'c']) await callFrom('198.51.100.1', guess);
    const guesser = await callFrom('198.51.100.1', 'd');
    const neighbour = await callFrom('198.51.100.2', 'root-token');

    expect([new Set(guesser), new Set(neighbour)]).toEqual([new Set([429]), new Set([200])]);
  },
);
