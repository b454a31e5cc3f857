import type { HealthResponse } from '@quire/api';
import type { Principal } from '@quire/auth';
import { type BrokerOptions, createBroker } from '@quire/broker';
import { type ObjectStore, QuireError, type StoreCall, withObserver } from '@quire/core';
import { collect, FaultStore, ManualClock, RecordingStore } from '@quire/core/testing';
import { ResultStore, type ResultStoreOptions } from '@quire/results';
import type { Service } from '@quire/service';
import { MemoryObjectStore } from '@quire/core/memory';
import { ScriptedEngine } from './broker-engine.ts';
import { HttpCaller } from './http-caller.ts';

export type { Answer, CallOptions } from './http-caller.ts';

export const brokerId = 'Broker_127.0.0.1_8099';

const principals: Readonly<Record<string, Principal>> = {
  'Bearer ann-token': { name: 'ann', role: 'query' },
  'Bearer bob-token': { name: 'bob', role: 'query' },
  'Bearer root-token': { name: 'root', role: 'admin' },
};

async function authenticate(header: string | undefined): Promise<Principal> {
  const principal = principals[header ?? ''];
  if (principal === undefined) {
    throw new QuireError('UNAUTHENTICATED', 'The credentials are wrong.');
  }
  return principal;
}

/**
 * A broker over HTTP on a free port, with a scripted engine and a store in memory whose calls are
 * recorded and may fail.
 */
export class TestBroker extends HttpCaller implements AsyncDisposable {
  readonly clock: ManualClock;
  readonly engine = new ScriptedEngine();
  readonly faults: FaultStore;
  readonly store: RecordingStore;
  /** Finished store calls, in order. */
  readonly endedCalls: StoreCall[] = [];
  readonly results: ResultStore;
  readonly broker: Service;

  private constructor(
    options: Partial<BrokerOptions>,
    resultOptions: Partial<ResultStoreOptions>,
    clock = new ManualClock(),
    objects: ObjectStore = new MemoryObjectStore({ sizeMaxBytes: 64 * 1024 * 1024, clock }),
  ) {
    super();
    this.clock = clock;
    this.faults = new FaultStore(objects);
    this.store = new RecordingStore(
      withObserver(this.faults, (call) => this.endedCalls.push(call)),
    );
    this.results = new ResultStore({
      store: this.store,
      brokerId,
      expirationMs: 3_600_000,
      expirationMaxMs: 86_400_000,
      clock: this.clock,
      batchSizeBytes: 8192,
      cacheBytesMax: 0,
      ...resultOptions,
    });
    const usual: BrokerOptions = {
      engine: this.engine,
      results: this.results,
      authenticate,
      host: '127.0.0.1',
      port: 0,
      advertised: { host: 'broker.example' },
      storeLocation: this.store.location,
      storeType: 'memory',
      version: '1.2.3',
      pageRowCount: 100,
      queryTimeoutMs: 60_000,
      queriesRunningMax: 2,
      queriesQueuedMax: 1,
      bodyBytesMax: 4096,
      headerBytesMax: 8192,
      requestTimeoutMs: 30_000,
      idleTimeoutMs: 30_000,
      stallTimeoutMs: Infinity,
      shutdownGraceMs: 10_000,
      clock: this.clock,
    };
    // Not spread: a getter among the options stays one.
    this.broker = createBroker(
      Object.defineProperties(usual, Object.getOwnPropertyDescriptors(options)),
    );
  }

  static async start(
    options: Partial<BrokerOptions> = {},
    resultOptions: Partial<ResultStoreOptions> = {},
  ): Promise<TestBroker> {
    const test = new TestBroker(options, resultOptions);
    test.address = await test.broker.listen();
    return test;
  }

  /** Another broker process with the same store, as after a restart. */
  async startSuccessor(): Promise<TestBroker> {
    const successor = new TestBroker({}, {}, this.clock, this.store);
    successor.address = await successor.broker.listen();
    return successor;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // No call may be running at the end of a test; those that are, are aborted.
    const closed = this.broker.close();
    await this.clock.advance(3_600_000);
    await closed;
  }

  /** Stores `count` rows without a call, for tests that need many results. */
  async createDirectly(rowCount: number): Promise<string> {
    await using execution = await this.engine.execute(
      { sql: `rows ${rowCount}` },
      { limits: { timeoutMs: 1000 } },
    );
    return (await this.results.create(execution, { owner: 'ann' })).entry.requestId;
  }

  /**
   * Resolves once the store is empty: work after a response may take a moment longer than the
   * response.
   */
  async untilStoreIsEmpty(): Promise<void> {
    while ((await this.objectKeys()).length > 0) {
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** Resolves once the given number of queries wait for their turn. */
  async untilQueued(count: number): Promise<void> {
    const health = async () =>
      (await this.call('/health', { as: undefined })).json<HealthResponse>();
    while ((await health()).queriesQueued < count) {
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** Keys of all objects in the store. */
  async objectKeys(): Promise<string[]> {
    return (await collect(this.store.list(''))).map(({ key }) => key);
  }
}
