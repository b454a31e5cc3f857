import type { Principal } from '@quire/auth';
import type { BrokerOptions } from '@quire/broker';
import { QuireError } from '@quire/core';
import { ManualClock } from '@quire/core/testing';
import { createProxy, type ProxyOptions } from '@quire/proxy';
import type { ResultStoreOptions } from '@quire/results';
import type { Service } from '@quire/service';
import { TestBroker } from './broker-server.ts';
import { HttpCaller } from './http-caller.ts';

const known: Readonly<Record<string, Principal>> = {
  'Bearer ann-token': { name: 'ann', role: 'query' },
  'Bearer root-token': { name: 'root', role: 'admin' },
};

async function authenticate(header: string | undefined): Promise<Principal> {
  const principal = known[header ?? ''];
  if (principal === undefined) {
    throw new QuireError('UNAUTHENTICATED', 'The credentials are wrong.');
  }
  return principal;
}

/** The options of every proxy in tests; time does not advance until the test moves it. */
const usualProxy = {
  authenticate,
  host: '127.0.0.1',
  port: 0,
  version: '1.2.3',
  resolveIntervalMs: 30_000,
  isStoreShared: 'auto',
  authMode: 'pass',
  routesMax: 1000,
  connectionsMax: 64,
  timeouts: { connectMs: 5000, queryMs: 70_000, answerMs: 30_000, healthMs: 2000 },
  healthIntervalMs: 5000,
  failuresMax: 3,
  bodyBytesMax: 4096,
  headerBytesMax: 8192,
  requestTimeoutMs: 30_000,
  idleTimeoutMs: 30_000,
  stallTimeoutMs: Infinity,
  shutdownGraceMs: 10_000,
} as const satisfies Partial<ProxyOptions>;

/**
 * A broker whose results name the address `<name>.example:8099`, although it is called at another
 * one.
 */
export function startBroker(
  name: string,
  options: Partial<BrokerOptions> = {},
  resultOptions: Partial<ResultStoreOptions> = {},
): Promise<TestBroker> {
  const host = `${name}.example`;
  const brokerId = `Broker_${host}_8099`;
  return TestBroker.start(
    { advertised: { host, port: 8099 }, ...options },
    { brokerId, ...resultOptions },
  );
}

/** The headers that send a call to a broker that `startBroker` has started. */
export function forwardTo(name: string, port = '8099'): Record<string, string> {
  return { forward_host: `${name}.example`, forward_port: port };
}

/** A proxy over HTTP on a free port. */
export class TestProxy extends HttpCaller implements AsyncDisposable {
  readonly clock: ManualClock;
  readonly proxy: Service;

  private constructor(options: Partial<ProxyOptions>, clock: ManualClock) {
    super();
    this.clock = clock;
    const usual: ProxyOptions = { brokers: [], ...usualProxy, clock };
    // Not spread: a getter among the options stays one.
    this.proxy = createProxy(
      Object.defineProperties(usual, Object.getOwnPropertyDescriptors(options)),
    );
  }

  static async start(
    brokers: readonly ({ readonly url: string } | TestBroker)[],
    options: Partial<ProxyOptions> = {},
  ): Promise<TestProxy> {
    const urls = brokers.map((broker) =>
      broker instanceof TestBroker ? broker.address.url : broker.url,
    );
    const clock = new ManualClock();
    const test = new TestProxy(
      'brokers' in options ? options : Object.assign(options, { brokers: urls }),
      clock,
    );
    test.address = await test.proxy.listen();
    return test;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = this.proxy.close();
    await this.clock.advance(3_600_000);
    await closed;
  }

  /**
   * Lets the time between two rounds of health checks pass, and resolves when the round has ended.
   */
  async nextRound(): Promise<void> {
    const rounds = await this.roundCount();
    await this.clock.advance(5000);
    await this.untilRound(rounds + 1);
  }

  /** Resolves once the given number of rounds have ended. */
  async untilRound(count: number): Promise<void> {
    while ((await this.roundCount()) < count) await new Promise((resolve) => setImmediate(resolve));
  }

  roundCount(): Promise<number> {
    return this.metric('quire_proxy_health_rounds_total');
  }

  /** Returns its value of a metric, by the name with its labels. */
  async metric(line: string): Promise<number> {
    const { text } = await this.call('/metrics', { as: 'root' });
    const found = text.split('\n').find((each) => each.startsWith(`${line} `));
    return found === undefined ? 0 : Number(found.slice(line.length + 1));
  }
}
