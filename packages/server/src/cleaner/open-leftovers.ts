import type { LeftoverEntry, Leftovers } from '@quire/cleaner';
import {
  type CallOptions,
  type Clock,
  isQuireError,
  type ObjectStore,
  QuireError,
  type Random,
  retry,
} from '@quire/core';
import { Deadline } from '@quire/core/wait';
import { brokerPrefix, parseResultObjectName } from '@quire/results';
import type { Settings } from '@quire/settings';
import { FileObjectStore } from '@quire/store-file';
import type { UnfinishedUploads } from '@quire/store-s3';
import type { Logger } from 'pino';

export interface LeftoversOptions {
  /** The store as it was opened, without what protects its callers. */
  readonly backend: ObjectStore;
  /** Whose uploads are looked at in a bucket; undefined for those of all brokers. */
  readonly brokerId: string | undefined;
  readonly settings: Pick<Settings['store'], 'attemptsMax' | 'timeoutMs'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Pick<Logger, 'warn'>;
}

/** Between two tries, in milliseconds: the first time, and at most. */
const retryDelays = { delayMs: 50, delayMaxMs: 5000 };

/**
 * What crashed writes leave beside the objects of a store: staged files, unfinished uploads.
 * Undefined where a store has no such thing: uploads to Google end by themselves a week after they
 * were begun, are not paid for meanwhile, and cannot be listed.
 */
export function openLeftovers(options: LeftoversOptions): Leftovers | undefined {
  const { backend } = options;
  if (backend instanceof FileObjectStore) return backend.leftovers;
  return hasUnfinishedUploads(backend) ? new OwnUploads(backend.leftovers, options) : undefined;
}

/** Not by the class of the store: to know that, its SDK would have to be loaded. */
export function hasUnfinishedUploads(
  backend: ObjectStore,
): backend is ObjectStore & { readonly leftovers: UnfinishedUploads } {
  return backend.location.startsWith('s3:') && 'leftovers' in backend;
}

/**
 * The unfinished uploads of results: those of other objects are others' business. No request waits
 * for ever, and a failed one is repeated.
 */
class OwnUploads implements Leftovers {
  readonly #uploads: UnfinishedUploads;
  readonly #options: LeftoversOptions;
  #hasWarned = false;

  constructor(uploads: UnfinishedUploads, options: LeftoversOptions) {
    this.#uploads = uploads;
    this.#options = options;
  }

  async *list(options?: CallOptions): AsyncGenerator<LeftoverEntry> {
    const { brokerId, logger } = this.#options;
    const prefix = brokerId === undefined ? '' : brokerPrefix(brokerId);
    try {
      yield* await this.#tried(
        'list of unfinished uploads',
        options,
        async (signal, onProgress) => {
          const entries: LeftoverEntry[] = [];
          for await (const entry of this.#uploads.list({ prefix, signal })) {
            onProgress();
            if (parseResultObjectName(objectKeyOf(entry.key)) !== undefined) entries.push(entry);
          }
          return entries;
        },
      );
    } catch (error) {
      // Who may not list them, or has a server that cannot, has a rule in the bucket for them; all
      // else goes on.
      if (!isQuireError(error, 'STORE_MISCONFIGURED')) throw error;
      if (!this.#hasWarned) {
        logger.warn({ err: error }, 'unfinished uploads cannot be listed, and are kept');
      }
      this.#hasWarned = true;
    }
  }

  async remove(key: string, options?: CallOptions): Promise<void> {
    if (parseResultObjectName(objectKeyOf(key)) === undefined) return;
    await this.#tried(`delete ${key}`, options, (signal) => this.#uploads.remove(key, { signal }));
  }

  /**
   * Runs a call that says when it gets on; it is aborted, and tried again, when it makes no
   * progress for too long.
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
      { clock, random, attemptsMax: settings.attemptsMax, ...retryDelays },
      name,
      attempt,
      signal,
    );
  }
}

/** The key of the object that an upload was to become. */
function objectKeyOf(name: string): string {
  return name.slice(0, name.indexOf('?'));
}
