import type { PageThreadsOptions, PageThreadsStatus } from './page-threads-options.ts';
import { ThreadPool } from './thread-pool.ts';

/** Returns the pool of page threads. Only this package reads it, to encode pages. */
export let poolOf: (threads: PageThreads) => ThreadPool;

/**
 * Threads that encode pages: decoding, text and checks of values, beside the main thread, which
 * owns all state, reads and writes.
 *
 * Threads start when the first large page is read, and end when none was read for a while. The
 * memory of a part is transferred to its thread and back. They run a bounded part of a page at a
 * time, and never wait for a client. The main thread encodes the parts for which they have no
 * capacity. A thread that dies fails the page that it was encoding; others that waited for it are
 * encoded by the main thread.
 */
export class PageThreads implements AsyncDisposable {
  readonly #options: PageThreadsOptions;
  readonly #pool: ThreadPool;

  static {
    poolOf = (threads) => threads.#pool;
  }

  constructor(options: PageThreadsOptions) {
    this.#options = options;
    this.#pool = new ThreadPool(options);
  }

  /** The maximum number of threads. */
  get countMax(): number {
    return this.#options.countMax;
  }

  get status(): PageThreadsStatus {
    return this.#pool.status;
  }

  /** Ends all threads; pages that they encode fail. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pool[Symbol.asyncDispose]();
  }
}
