import { unlessAborted } from '@quire/core/wait';
import type { BufferPool } from '../buffer-pool.ts';
import type { PartWork } from './part-work.ts';

/** A part of a page that a thread encodes: its chunks, as they arrive. */
export class PartRun {
  readonly work: PartWork;
  readonly #lease: Uint8Array;
  readonly #pool: BufferPool;
  readonly #chunks: Uint8Array[] = [];
  #arrival = Promise.withResolvers<void>();
  #hasEnded = false;
  /** The size of all chunks before compression, once it has ended. */
  plainBytes = 0;
  /** True if the reader has left; it may still use the chunks that it was given. */
  #isAbandoned = false;
  #failure: { readonly error: unknown } | undefined;

  /**
   * Creates a run.
   *
   * @param lease the memory of the work, which goes back to `pool` when neither thread nor reader
   *   uses it
   */
  constructor(work: PartWork, lease: Uint8Array, pool: BufferPool) {
    this.work = work;
    this.#lease = lease;
    this.#pool = pool;
  }

  /** Receives a chunk of the thread. */
  receive(start: number, end: number, memory: ArrayBufferLike = this.#lease.buffer): void {
    if (!this.#isAbandoned) this.#chunks.push(new Uint8Array(memory, start, end - start));
    this.#wake();
  }

  /** Receives the end: the thread has finished with the memory. */
  end(plainBytes = 0): void {
    this.plainBytes = plainBytes;
    this.#hasEnded = true;
    if (this.#isAbandoned) this.#pool.abandon(this.#lease);
    this.#wake();
  }

  /** Receives a failure. The thread no longer uses the memory. */
  fail(error: unknown): void {
    this.#failure = { error };
    this.end();
  }

  /**
   * Yields the chunks once; each is valid until the next one is requested.
   *
   * @throws the failure of the thread, or the reason of `signal`
   */
  async *chunks(signal: AbortSignal | undefined): AsyncGenerator<Uint8Array> {
    let isDone = false;
    try {
      for (;;) {
        const chunk = this.#chunks.shift();
        if (chunk !== undefined) {
          yield chunk;
          continue;
        }
        if (this.#failure !== undefined) throw this.#failure.error;
        if (this.#hasEnded) break;
        this.#arrival = Promise.withResolvers();
        await unlessAborted(this.#arrival.promise, signal);
      }
      isDone = true;
    } finally {
      if (isDone) this.#pool.release(this.#lease);
      else this.abandon();
    }
  }

  /** Gives up the run: what it still yields is ignored. */
  abandon(): void {
    if (this.#isAbandoned) return;
    this.#isAbandoned = true;
    this.#chunks.length = 0;
    if (this.#hasEnded) this.#pool.abandon(this.#lease);
  }

  #wake(): void {
    this.#arrival.resolve();
  }
}
