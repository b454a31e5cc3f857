import { createRequestId, type RequestId, systemRandom } from '@quire/core';
import { ManualClock, SeededRandom } from '@quire/core/testing';
import { afterEach, describe, expect, test } from 'vitest';
import { parseBrokerUrl } from '../src/brokers/broker-address.ts';
import { BrokerSet } from '../src/brokers/broker-set.ts';
import type { Broker } from '../src/brokers/broker.ts';
import { type Wanted, WantedBrokers } from '../src/brokers/wanted-brokers.ts';
import type { ProxyOptions } from '../src/index.ts';
import { RouteCache } from '../src/brokers/route-cache.ts';

const sets: BrokerSet[] = [];
afterEach(async () => {
  await Promise.all(sets.splice(0).map((set) => set.close()));
});

/** Brokers that are never called: no connection is opened. */
function brokersAt(...urls: string[]): {
  readonly set: BrokerSet;
  readonly brokers: readonly Broker[];
} {
  const set = new BrokerSet({ connectionsMax: 1, connectTimeoutMs: 1000 });
  sets.push(set);
  set.update(urls.map(parseBrokerUrl));
  return { set, brokers: set.all };
}

describe('the URL of a broker', () => {
  test.each([
    ['http://broker-1:8099', { origin: 'http://broker-1:8099', host: 'broker-1', port: 8099 }],
    ['http://Broker-1', { origin: 'http://broker-1:80', host: 'broker-1', port: 80 }],
    ['https://10.0.0.1', { origin: 'https://10.0.0.1:443', host: '10.0.0.1', port: 443 }],
    ['http://[::1]:8099', { origin: 'http://[::1]:8099', host: '::1', port: 8099 }],
  ])('the URL of a broker is understood: %s', (text, address) => {
    expect(parseBrokerUrl(text)).toEqual(address);
  });

  test.each([
    '',
    'broker-1:8099',
    'ftp://broker-1',
    'http://a:1/path',
    'http://a:1?x',
    'http://u:p@a:1',
    'http://a:70000',
  ])('the URL of a broker is refused when it is not one: %j', (text) => {
    expect(() => parseBrokerUrl(text)).toThrow(
      expect.objectContaining({ code: 'INVALID_SETTING' }),
    );
  });
});

describe('a set of brokers', () => {
  const health = (brokerId: string, isStoreShared = false) => ({
    brokerId,
    version: '1',
    storeType: 'fs',
    isStoreShared,
  });

  test('a set of brokers finds a broker by where it is called, and by where it says that it is', () => {
    const { set, brokers } = brokersAt(
      'http://10.0.0.1:8099',
      'http://[fd00::2]:8099',
      'http://10.0.0.3:8099',
    );
    brokers[2]?.recordHealthy(health('Broker_fd00--3_8099'));
    const found = [
      set.find('10.0.0.1', 8099),
      set.find('fd00::2', 8099),
      set.find('fd00::3', 8099),
      set.find('10.0.0.1', 8098),
    ];
    expect(found.map((broker) => broker?.address.host)).toEqual([
      '10.0.0.1',
      'fd00::2',
      '10.0.0.3',
      undefined,
    ]);
  });

  test('a set of brokers keeps the brokers that stay, with all that is known of them', () => {
    const { set, brokers } = brokersAt('http://a:1', 'http://b:1');
    const [a, b] = brokers;
    b?.recordHealthy(health('Broker_b_1'));
    const { added, removed } = set.update(
      ['http://b:1', 'http://c:1', 'http://c:1'].map(parseBrokerUrl),
    );
    expect(added.map(({ label }) => label)).toEqual(['c:1']);
    expect(removed).toEqual([a]);
    expect(set.all[0]).toBe(b);
    expect(set.usable).toEqual([b]);
  });

  test('a set of brokers offers the least busy first, each in its turn, and all of them when none is up', () => {
    const { set, brokers } = brokersAt('http://a:1', 'http://b:1', 'http://c:1');
    const hostsInOrder = (): string[] => set.inOrder().map(({ address }) => address.host);
    expect(new Set([hostsInOrder()[0], hostsInOrder()[0], hostsInOrder()[0]])).toEqual(
      new Set(['a', 'b', 'c']),
    );
    const [a, b, c] = brokers;
    a?.recordHealthy(health('Broker_a_1'));
    b?.recordHealthy(health('Broker_b_1'));
    const end = a?.beginCall();
    expect([hostsInOrder(), hostsInOrder()]).toEqual([
      ['b', 'a'],
      ['b', 'a'],
    ]);
    end?.();
    expect(new Set([hostsInOrder()[0], hostsInOrder()[0]])).toEqual(new Set(['a', 'b']));
    expect(set.usable).not.toContain(c);
  });

  test('a set of brokers is shared when all that have told of their store have one that is', () => {
    const { set, brokers } = brokersAt('http://a:1', 'http://b:1');
    const before = set.isShared;
    brokers[0]?.recordHealthy(health('Broker_a_1', true));
    const known = set.isShared;
    brokers[1]?.recordHealthy(health('Broker_b_1', false));
    expect([before, known, set.isShared]).toEqual([false, true, false]);
  });
});

describe('a broker', () => {
  test('a broker goes down once, by failures in a row', () => {
    const [broker] = brokersAt('http://a:1').brokers;
    broker?.recordHealthy({
      brokerId: 'Broker_a_1',
      version: '1',
      storeType: 'fs',
      isStoreShared: false,
    });
    const steps = [broker?.recordFailure(3), broker?.recordFailure(3)];
    broker?.recordAnswer();
    steps.push(
      broker?.recordFailure(3),
      broker?.recordFailure(3),
      broker?.recordFailure(3),
      broker?.recordFailure(3),
    );
    expect(steps).toEqual([false, false, false, false, true, false]);
    expect(broker?.isUp).toBe(false);
  });
});

describe('brokers that a name stands for', () => {
  const wantedWith = (
    clock: ManualClock,
    answers: (readonly string[] | Error | Promise<readonly string[]>)[],
  ): WantedBrokers => {
    const resolveName = async (): Promise<readonly string[]> => {
      const answer = answers.shift() ?? [];
      if (answer instanceof Error) throw answer;
      return answer;
    };
    const options = {
      brokers: ['http://fixed:1'],
      brokersName: 'https://brokers.example:8099',
      resolveName,
      resolveIntervalMs: 1000,
      timeouts: { healthMs: 200 },
    };
    return new WantedBrokers(options as unknown as ProxyOptions, clock);
  };
  const originsOf = async (wanted: WantedBrokers): Promise<readonly string[]> =>
    (await wanted.find()).addresses.map(({ origin }) => origin);

  test('brokers that a name stands for are found again after a while, in one order, and have to have a certificate of that name', async () => {
    const clock = new ManualClock();
    const wanted = wantedWith(clock, [
      ['10.0.0.2', '10.0.0.1'],
      ['fd00::1', '10.0.0.2'],
    ]);
    const first = await originsOf(wanted);
    const same = await originsOf(wanted);
    await clock.advance(1000);
    const second = await wanted.find();
    expect(first).toEqual(['http://fixed:1', 'https://10.0.0.1:8099', 'https://10.0.0.2:8099']);
    expect(same).toEqual(first);
    expect(
      second.addresses.map(({ origin, certificateName }) => [origin, certificateName]),
    ).toEqual([
      ['http://fixed:1', undefined],
      ['https://10.0.0.2:8099', 'brokers.example'],
      ['https://[fd00::1]:8099', 'brokers.example'],
    ]);
  });

  test('brokers that a name stands for stay when the name cannot be resolved, or stands for nothing', async () => {
    const clock = new ManualClock();
    const wanted = wantedWith(clock, [['10.0.0.1'], new Error('ENOTFOUND'), [], ['10.0.0.3']]);
    const before = await originsOf(wanted);
    await clock.advance(1000);
    const [failed, empty] = [await wanted.find(), await wanted.find()];
    expect(failed).toMatchObject({ problem: 'ENOTFOUND' });
    expect(empty).toMatchObject({ problem: 'brokers.example has no address' });
    expect([failed, empty].map(({ addresses }) => addresses.map(({ origin }) => origin))).toEqual([
      before,
      before,
    ]);
    expect(await originsOf(wanted)).toEqual(['http://fixed:1', 'https://10.0.0.3:8099']);
  });

  test('brokers that a name stands for stay while a name server hangs, which is asked once', async () => {
    const clock = new ManualClock();
    const slow = Promise.withResolvers<readonly string[]>();
    const wanted = wantedWith(clock, [['10.0.0.1'], slow.promise, ['10.0.0.9']]);
    const before = await originsOf(wanted);
    await clock.advance(1000);
    const found: Wanted[] = [];
    for (let round = 1; round <= 2; round += 1) {
      void wanted.find().then((each) => found.push(each));
      await clock.advance(200);
      expect(found).toHaveLength(round);
    }
    expect(found[1]?.problem).toBe('brokers.example was not resolved within 200 ms.');
    expect(found[1]?.addresses.map(({ origin }) => origin)).toEqual(before);
    void wanted.find().then((each) => found.push(each));
    slow.resolve(['10.0.0.2']);
    await clock.advance(0);
    expect(found[2]?.addresses.map(({ origin }) => origin)).toEqual([
      'http://fixed:1',
      'https://10.0.0.2:8099',
    ]);
  });

  test('a name server that hangs is not waited for once the proxy stops', async () => {
    const clock = new ManualClock();
    const wanted = wantedWith(clock, [new Promise(() => undefined)]);
    const stop = new AbortController();
    let isFound = false;
    void wanted.find(stop.signal).then(() => (isFound = true));
    stop.abort();
    await clock.advance(0);
    expect(isFound).toBe(true);
  });
});

test('what was learnt the longest ago, and not asked for since, is forgotten first', () => {
  const [broker] = brokersAt('http://a:1').brokers;
  const [one, two, three] = Array.from({ length: 3 }, () =>
    createRequestId(new ManualClock(), systemRandom),
  );
  const routes = new RouteCache(() => 2);
  if (broker === undefined || one === undefined || two === undefined || three === undefined) {
    throw new Error('unreachable');
  }
  routes.set(one, broker);
  routes.set(two, broker);
  routes.get(one);
  routes.set(three, broker);
  expect([routes.get(one), routes.get(two), routes.get(three), routes.count]).toEqual([
    broker,
    undefined,
    broker,
    2,
  ]);
  routes.deleteBrokers([broker]);
  expect(routes.count).toBe(0);
});

test('it holds what was used last, whatever comes and goes', () => {
  const [broker] = brokersAt('http://a:1').brokers;
  if (broker === undefined) throw new Error('unreachable');
  const random = new SeededRandom(1);
  const ids = Array.from({ length: 6 }, () => createRequestId(new ManualClock(), random));
  const routes = new RouteCache(() => 3);
  let used: RequestId[] = [];
  const wrong: number[] = [];
  for (let step = 0; step < 2_000; step += 1) {
    const requestId = ids[Math.floor(random.fraction() * ids.length)] as RequestId;
    const rest = used.filter((other) => other !== requestId);
    const choice = random.fraction();
    if (choice < 0.2) {
      routes.delete(requestId);
      used = rest;
    } else if (choice < 0.6) {
      const isUsed = used.includes(requestId);
      if ((routes.get(requestId) === broker) !== isUsed) wrong.push(step);
      if (isUsed) used = [...rest, requestId];
    } else {
      routes.set(requestId, broker);
      used = [...rest, requestId].slice(-3);
    }
    if (routes.count !== used.length) wrong.push(step);
  }
  expect(wrong).toEqual([]);
});
