import type { LeftoverEntry, Leftovers } from '@quire/cleaner';
import {
  type CallOptions,
  type Clock,
  hasLeftovers,
  isQuireError,
  type Leftover,
  type ObjectStore,
  QuireError,
  type Random,
  retry,
  type StoreLeftovers,
  storeRetryDelays,
} from '@quire/core';
import { Deadline } from '@quire/core/wait';
import { brokerPrefix, parseResultObjectName } from '@quire/results';
import type { Settings } from '@quire/settings';
import type { Logger } from 'pino';

export interface LeftoversOptions {
  /** The store as opened, without the wrappers that protect its callers. */
  readonly backend: ObjectStore;
  /** The broker whose uploads are listed in a bucket; undefined for all brokers. */
  readonly brokerId: string | undefined;
  readonly settings: Pick<Settings['store'], 'attemptsMax' | 'timeoutMs'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Pick<Logger, 'warn'>;
}

/**
 * Returns the leftovers of crashed writes in a store: staged files, unfinished uploads. Undefined
 * if the store has none, or removes them itself.
 */
export function openLeftovers(options: LeftoversOptions): Leftovers | undefined {
  const { backend } = options;
  return hasLeftovers(backend) ? new ResultLeftovers(backend.leftovers, options) : undefined;
}

/**
 * The leftovers of results; those of other objects are not listed, if the store knows their keys.
 * Every call has a timeout and is retried.
 */
class ResultLeftovers implements Leftovers {
  readonly #leftovers: StoreLeftovers;
  readonly #options: LeftoversOptions;
  #hasWarned = false;

  constructor(leftovers: StoreLeftovers, options: LeftoversOptions) {
    this.#leftovers = leftovers;
    this.#options = options;
  }

  async *list(options?: CallOptions): AsyncGenerator<LeftoverEntry> {
    const { brokerId, logger } = this.#options;
    const prefix = brokerId === undefined ? '' : brokerPrefix(brokerId);
    try {
      yield* await this.#tried('list of unfinished writes', options, async (signal, onProgress) => {
        const entries: LeftoverEntry[] = [];
        for await (const entry of this.#leftovers.list({ prefix, signal })) {
          onProgress();
          if (isOfResult(entry)) entries.push(entry);
        }
        return entries;
      });
    } catch (error) {
      // If the credentials lack the permission to list unfinished writes, or the server cannot list
      // them, a lifecycle rule of the bucket must remove them. The rest of the sweep continues.
      if (!isQuireError(error, 'STORE_MISCONFIGURED')) throw error;
      if (!this.#hasWarned) {
        logger.warn({ err: error }, 'unfinished writes cannot be listed, and are kept');
      }
      this.#hasWarned = true;
    }
  }

  async remove(key: string, options?: CallOptions): Promise<void> {
    await this.#tried(`delete ${key}`, options, (signal) =>
      this.#leftovers.remove(key, { signal }),
    );
  }

  /**
   * Runs a call that reports its progress. It is aborted and retried if it makes no progress for
   * too long.
   */
  #tried<T>(
    name: string,
    { signal }: CallOptions = {},
    run: (signal: AbortSignal, onProgress: () => void) => Promise<T>,
  ): Promise<T> {
    const { clock, random, settings } = this.#options;
    const { timeoutMs } = settings;
    const error = (): QuireError =>
      new QuireError('STORE_TIMED_OUT', `${name} made no progress for ${timeoutMs} ms.`);
    const attempt = async (): Promise<T> => {
      using deadline = new Deadline({ clock, timeoutMs, signal, error });
      return await run(deadline.signal, () => deadline.start(timeoutMs));
    };
    return retry(
      { clock, random, attemptsMax: settings.attemptsMax, ...storeRetryDelays },
      name,
      attempt,
      signal,
    );
  }
}

function isOfResult({ objectKey }: Leftover): boolean {
  return objectKey === undefined || parseResultObjectName(objectKey) !== undefined;
}
