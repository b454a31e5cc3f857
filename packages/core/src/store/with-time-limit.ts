import type { Clock } from '../clock.ts';
import { QuireError } from '../errors.ts';
import type { CallOptions, GetOptions, ListOptions, ObjectBody, ObjectEntry, ObjectStore } from '../object-store.ts';
import { SingleUseBody } from './single-use-body.ts';
import { StallGuard } from './stall-guard.ts';
import { observeSource } from './observe-source.ts';

export interface TimeLimitOptions {
  readonly clock: Clock;
  /** For a `head`, a `delete`, a `put` of bytes, and until a `get` has opened its object. */
  readonly callTimeoutMs: number;
  /** For each next chunk of a body, each next entry of a listing, and each time that a `put` has the turn of its source. */
  readonly idleTimeoutMs: number;
}

/**
 * The same store, which throws STORE_TIMED_OUT where it would keep its caller waiting too long, and aborts the call.
 *
 * Only the store's own time counts: not the reader's between chunks or entries, and not the source's of a `put`. The caller is
 * answered even when the store does not react to being aborted.
 *
 * @throws INVALID_PARAMETER when a limit is not a positive number
 */
export function withTimeLimit(store: ObjectStore, options: TimeLimitOptions): ObjectStore {
  return new TimeLimitedStore(store, options);
}

class TimeLimitedStore implements ObjectStore {
  readonly #store: ObjectStore;
  readonly #options: TimeLimitOptions;

  constructor(store: ObjectStore, options: TimeLimitOptions) {
    const { callTimeoutMs, idleTimeoutMs } = options;
    if (!(callTimeoutMs > 0) || !(idleTimeoutMs > 0)) {
      throw new QuireError(
        'INVALID_PARAMETER',
        `callTimeoutMs is ${callTimeoutMs} and idleTimeoutMs ${idleTimeoutMs}; expected positive numbers.`,
      );
    }
    this.#store = store;
    this.#options = options;
  }

  get location(): string {
    return this.#store.location;
  }

  async head(key: string, options?: CallOptions): Promise<ObjectEntry> {
    using call = this.#begin('head', key, options);
    return await call.opening.wait(() => this.#store.head(key, { signal: call.signal }));
  }

  async get(key: string, options?: GetOptions): Promise<ObjectBody> {
    using call = this.#begin('get', key, options);
    const opening = this.#store.get(key, { ...options, signal: call.signal });
    try {
      return timedBody(key, await call.opening.wait(() => opening), call);
    } catch (error) {
      // A body that comes after all has no reader any more.
      opening.then((object) => object[Symbol.asyncDispose]()).catch(() => undefined);
      throw error;
    }
  }

  async put(key: string, body: Uint8Array | AsyncIterable<Uint8Array>, options?: CallOptions): Promise<ObjectEntry> {
    using call = this.#begin('put', key, options);
    if (body instanceof Uint8Array) return await call.opening.wait(() => this.#store.put(key, body, { signal: call.signal }));
    using turn = call.createIdleGuard();
    // While the source has the turn, the store is not to blame.
    const source = observeSource(body, { onPull: () => turn.disarm(), onAnswer: () => turn.arm() });
    return await turn.wait(() => this.#store.put(key, source, { signal: call.signal }));
  }

  async *list(prefix: string, options?: ListOptions): AsyncGenerator<ObjectEntry> {
    using call = this.#begin('list', prefix, options);
    using idle = call.createIdleGuard();
    yield* timedSteps(this.#store.list(prefix, { ...options, signal: call.signal }), idle);
  }

  async delete(key: string, options?: CallOptions): Promise<void> {
    using call = this.#begin('delete', key, options);
    await call.opening.wait(() => this.#store.delete(key, { signal: call.signal }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#store[Symbol.asyncDispose]();
  }

  #begin(op: string, key: string, options: CallOptions | undefined): TimedCall {
    return new TimedCall(`${op} ${key} in ${this.location}`, this.#options, options?.signal);
  }
}

/** One call: its signal, which a timeout aborts, and the guards that watch it. */
class TimedCall {
  readonly signal: AbortSignal;
  readonly opening: StallGuard;
  readonly #name: string;
  readonly #options: TimeLimitOptions;
  readonly #controller = new AbortController();

  constructor(name: string, options: TimeLimitOptions, signal: AbortSignal | undefined) {
    this.#name = name;
    this.#options = options;
    this.signal = signal === undefined ? this.#controller.signal : AbortSignal.any([signal, this.#controller.signal]);
    this.opening = new StallGuard(options.clock, options.callTimeoutMs, () => this.#timeOut(options.callTimeoutMs));
  }

  createIdleGuard(): StallGuard {
    const { clock, idleTimeoutMs } = this.#options;
    return new StallGuard(clock, idleTimeoutMs, () => this.#timeOut(idleTimeoutMs));
  }

  [Symbol.dispose](): void {
    this.opening[Symbol.dispose]();
  }

  #timeOut(limitMs: number): QuireError {
    const error = new QuireError('STORE_TIMED_OUT', `${this.#name} made no progress for ${limitMs} ms.`);
    this.#controller.abort(error);
    return error;
  }
}

function timedBody(key: string, object: ObjectBody, call: TimedCall): ObjectBody {
  const idle = call.createIdleGuard();
  return new SingleUseBody({
    key,
    sizeBytes: object.sizeBytes,
    chunks: () => timedSteps(object.body, idle),
    release: async () => {
      idle[Symbol.dispose]();
      const disposal = Promise.resolve(object[Symbol.asyncDispose]());
      // The body of a call that was aborted may be stuck, and so may be its disposal: nobody waits to hear how it ends.
      await (call.signal.aborted ? void disposal.catch(() => undefined) : disposal);
    },
  });
}

/** The same steps; the guard is armed only while the store works on the next one. */
async function* timedSteps<T>(steps: AsyncIterable<T>, guard: StallGuard): AsyncGenerator<T> {
  const iterator = steps[Symbol.asyncIterator]();
  let isOurs = false;
  try {
    for (;;) {
      isOurs = false;
      const step = await guard.wait(() => iterator.next());
      if (step.done === true) return;
      isOurs = true;
      yield step.value;
    }
  } finally {
    if (isOurs) await iterator.return?.();
  }
}
