import {
  Base,
  type BaseOptions,
  type ClusterMetadata,
  type Connection,
  ConnectionPool,
} from '@platformatic/kafka';
import { unlessAborted } from '@quire/core/wait';
import type { KafkaConfig } from './kafka-config.ts';

/** The maximum wait for messages in one request; a longer wait takes several. */
export const waitMaxMs = 10_000;

/** The timeout for a broker's answer. */
const answerMaxMs = 20_000;
const connectMaxMs = 5_000;

/** Returns the client options for a cluster. Retries are left to the caller. */
export function clientOptions({ brokers, tls, sasl }: KafkaConfig): BaseOptions {
  const { verifiesHost, ...certificates } = tls ?? { verifiesHost: true };
  const given = Object.fromEntries(
    Object.entries(certificates).filter(([, value]) => value !== undefined),
  );
  return {
    clientId: 'quire',
    bootstrapBrokers: brokers.map(({ host, port }) => ({ host, port })),
    autocreateTopics: false,
    retries: 0,
    connectTimeout: connectMaxMs,
    requestTimeout: waitMaxMs + answerMaxMs,
    ...(tls !== undefined && {
      tls: { ...given, ...(!verifiesHost && { checkServerIdentity: () => undefined }) },
      tlsServerName: true,
    }),
    ...(sasl !== undefined && { sasl: { ...sasl } }),
  };
}

/**
 * Connections to the brokers of a cluster: one for immediate answers, and one for each partition
 * that is fetched from. A broker answers the requests of a connection sequentially, and a fetch may
 * wait.
 */
export class KafkaConnections implements AsyncDisposable {
  readonly #base: Base;
  readonly #options: BaseOptions;
  /** Connections for fetches, idle and in use. */
  readonly #fetchPools = new Map<number, ConnectionPool>();
  readonly #busyPools = new Set<ConnectionPool>();
  #isClosed = false;

  constructor(config: KafkaConfig) {
    this.#options = clientOptions(config);
    this.#base = new Base(this.#options);
  }

  /** Returns the cluster's metadata of a topic, which may be cached for some time. */
  async readMetadata(
    topic: string,
    { isFresh }: { readonly isFresh: boolean },
  ): Promise<ClusterMetadata> {
    return await this.#base.metadata({ topics: [topic], forceUpdate: isFresh });
  }

  /** Drops the cached metadata: the next call requests it. */
  forgetMetadata(): void {
    this.#base.clearMetadata();
  }

  /** Returns a connection to a broker for a request that is answered immediately. */
  async connect(metadata: ClusterMetadata, nodeId: number): Promise<Connection> {
    return await this.#base.connections.get(brokerOf(metadata, nodeId));
  }

  /**
   * Runs with a connection for one partition, which is closed if the caller aborts, because the
   * answer would be late.
   */
  async fetching<T>(
    target: {
      readonly metadata: ClusterMetadata;
      readonly nodeId: number;
      readonly partition: number;
    },
    signal: AbortSignal | undefined,
    run: (connection: Connection) => Promise<T>,
  ): Promise<T> {
    // The metadata may have been cached.
    if (this.#isClosed) throw new AggregateError([new Error('The stream is closed.')]);
    const pool =
      this.#fetchPools.get(target.partition) ?? new ConnectionPool('quire', this.#options);
    // Two concurrent fetches of one partition have separate connections.
    this.#fetchPools.delete(target.partition);
    this.#busyPools.add(pool);
    let isGood = false;
    try {
      const answer = (async () => run(await pool.get(brokerOf(target.metadata, target.nodeId))))();
      const value = await unlessAborted(answer, signal);
      isGood = true;
      return value;
    } finally {
      this.#busyPools.delete(pool);
      if (isGood && !this.#isClosed && !this.#fetchPools.has(target.partition)) {
        this.#fetchPools.set(target.partition, pool);
      } else closeQuietly(pool);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    for (const pool of [...this.#fetchPools.values(), ...this.#busyPools]) closeQuietly(pool);
    this.#fetchPools.clear();
    await this.#base.close();
  }
}

function brokerOf(
  { brokers }: ClusterMetadata,
  nodeId: number,
): { readonly host: string; readonly port: number } {
  const broker = brokers.get(nodeId);
  if (broker === undefined) {
    throw new AggregateError([
      new Error(`Broker ${nodeId}, the partition's leader, is not available.`),
    ]);
  }
  return broker;
}

/** Closes connections without waiting for them. */
function closeQuietly(pool: ConnectionPool): void {
  pool.close().catch(() => undefined);
}
