import {
  Base,
  type BaseOptions,
  type ClusterMetadata,
  type Connection,
  ConnectionPool,
} from '@platformatic/kafka';
import { unlessAborted } from '@quire/core/wait';
import type { KafkaConfig } from './kafka-config.ts';

/** No broker waits longer for messages than that in one request; a longer wait takes several. */
export const waitMaxMs = 10_000;

/** How long a broker may take for an answer. */
const answerMaxMs = 20_000;
const connectMaxMs = 5_000;

/** What the client needs to know to reach a cluster. Trying again is left to the caller. */
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
 * Connections to the brokers of a cluster: one for what is answered at once, and one for each
 * partition that is fetched from, since a broker answers the requests of a connection one after the
 * other, and a fetch may wait.
 */
export class KafkaConnections implements AsyncDisposable {
  readonly #base: Base;
  readonly #options: BaseOptions;
  /** Connections to fetch by that wait for the next fetch, and those that fetch. */
  readonly #fetchPools = new Map<number, ConnectionPool>();
  readonly #busyPools = new Set<ConnectionPool>();
  #isClosed = false;

  constructor(config: KafkaConfig) {
    this.#options = clientOptions(config);
    this.#base = new Base(this.#options);
  }

  /** What the cluster says of a topic, at most some time ago. */
  async readMetadata(
    topic: string,
    { isFresh }: { readonly isFresh: boolean },
  ): Promise<ClusterMetadata> {
    return await this.#base.metadata({ topics: [topic], forceUpdate: isFresh });
  }

  /** Forgets what is known of the cluster: the next call asks. */
  forgetMetadata(): void {
    this.#base.clearMetadata();
  }

  /** A connection to a broker for a request that is answered at once. */
  async connect(metadata: ClusterMetadata, nodeId: number): Promise<Connection> {
    return await this.#base.connections.get(brokerOf(metadata, nodeId));
  }

  /**
   * Runs with a connection of the partition's own, which is closed when the caller aborts: the
   * answer would come too late.
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
    const pool =
      this.#fetchPools.get(target.partition) ?? new ConnectionPool('quire', this.#options);
    // Two at once for one partition have a connection each.
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
