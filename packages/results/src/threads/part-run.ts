import { unlessAborted } from '@quire/core/wait';
import type { BufferPool } from '../buffer-pool.ts';
import type { PartWork } from './part-work.ts';

/** The failure of a part whose thread ended before it started to encode it. */
export class NotStartedError extends Error {}

/** A part of a page that a thread encodes: its chunks, as they arrive. */
export class PartRun {
  readonly work: PartWork;
  /** The memory of its output, until the thread has it. */
  readonly outputs: readonly ArrayBuffer[];
  readonly #pool: BufferPool;
  /** The chunks that no reader has received. */
  readonly #chunks: Chunk[] = [];
  #arrival = Promise.withResolvers<void>();
  /** The lent memory that the thread has. */
  #lentBytes: number;
  #hasEnded = false;
  #isAbandoned = false;
  #failure: { readonly error: unknown } | undefined;
  /** The size of all chunks before compression, once it has ended. */
  plainBytes = 0;

  /**
   * Creates a run.
   *
   * @param outputSizes the sizes of its output buffers
   * @param pool lends them, and has lent the input: each goes back when neither the thread nor the
   *   reader uses it
   */
  constructor(work: PartWork, outputSizes: readonly number[], pool: BufferPool) {
    this.work = work;
    this.outputs = outputSizes.map((sizeBytes) => pool.lease(sizeBytes).buffer);
    this.#pool = pool;
    this.#lentBytes = sizeOf([work.input, ...this.outputs]);
  }

  /** Receives a chunk of the thread. */
  receive(bytes: Uint8Array, isLent: boolean): void {
    if (isLent) this.#lentBytes -= bytes.buffer.byteLength;
    const chunk = { bytes, isLent };
    if (this.#isAbandoned) this.#release(chunk);
    else this.#chunks.push(chunk);
    this.#arrival.resolve();
  }

  /**
   * Receives the end, and the buffers that the thread still had; `failure` if it failed. Gives up
   * the lent memory that has not come back by then.
   */
  end(
    plainBytes: number,
    buffers: readonly ArrayBuffer[],
    failure?: { readonly error: unknown },
  ): void {
    this.plainBytes = plainBytes;
    this.#failure = failure;
    this.#hasEnded = true;
    this.#pool.forget(this.#lentBytes - sizeOf(buffers));
    for (const buffer of buffers) this.#pool.release(new Uint8Array(buffer));
    this.#arrival.resolve();
  }

  /** Fails because the thread has ended: the memory that it had is lost. */
  fail(error: unknown): void {
    this.end(0, [], { error });
  }

  /**
   * Yields the chunks once; each is valid until the next one is requested.
   *
   * @throws the failure of the thread, or the reason of `signal`
   */
  async *chunks(signal: AbortSignal | undefined): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        const chunk = this.#chunks.shift();
        if (chunk !== undefined) {
          yield* this.#lend(chunk);
          continue;
        }
        if (this.#failure !== undefined) throw this.#failure.error;
        if (this.#hasEnded) return;
        this.#arrival = Promise.withResolvers();
        await unlessAborted(this.#arrival.promise, signal);
      }
    } finally {
      this.abandon();
    }
  }

  /** Gives up the run: what it still yields is ignored. */
  abandon(): void {
    this.#isAbandoned = true;
    for (const chunk of this.#chunks.splice(0)) this.#release(chunk);
  }

  /** Yields a chunk; a reader that leaves with it may still use it. */
  *#lend(chunk: Chunk): Generator<Uint8Array> {
    let isDone = false;
    try {
      yield chunk.bytes;
      isDone = true;
    } finally {
      if (isDone) this.#release(chunk);
      else if (chunk.isLent) this.#pool.abandon(chunk.bytes);
    }
  }

  #release({ bytes, isLent }: Chunk): void {
    if (isLent) this.#pool.release(bytes);
  }
}

interface Chunk {
  readonly bytes: Uint8Array;
  /** True if its memory is of the pool. */
  readonly isLent: boolean;
}

function sizeOf(buffers: readonly ArrayBuffer[]): number {
  return buffers.reduce((sum, { byteLength }) => sum + byteLength, 0);
}
