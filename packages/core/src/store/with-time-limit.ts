import type { Clock } from '../clock.ts';
import { QuireError } from '../errors.ts';
import type {
  CallOptions,
  GetOptions,
  ListOptions,
  ObjectBody,
  ObjectEntry,
  ObjectStore,
} from '../object-store.ts';
import { Deadline } from '../wait/deadline.ts';
import { SingleUseBody } from './single-use-body.ts';
import { observeSource } from './observe-source.ts';
import { type StoreOperation, StoreWrapper } from './store-wrapper.ts';

/** The time limits of `withTimeLimit`, in milliseconds. */
export interface TimeLimitOptions {
  readonly clock: Clock;
  /** The limit for a `head`, a `delete`, a `put` of bytes, and the opening of a `get`. */
  readonly callTimeoutMs: number;
  /**
   * The limit for each chunk of a body, each entry of a listing, and each step of the store between
   * two pulls of a `put`'s source.
   */
  readonly idleTimeoutMs: number;
}

/**
 * Returns the same store, which throws STORE_TIMED_OUT and aborts the call when a time limit is
 * exceeded.
 *
 * Only the store's own time counts: not the reader's between chunks or entries, and not that of a
 * `put`'s source. The caller receives the error even if the store ignores the abort.
 *
 * @throws INVALID_PARAMETER when a limit is not a positive number
 */
export function withTimeLimit(store: ObjectStore, options: TimeLimitOptions): ObjectStore {
  return new TimeLimitedStore(store, options);
}

class TimeLimitedStore extends StoreWrapper {
  readonly #options: TimeLimitOptions;

  constructor(store: ObjectStore, options: TimeLimitOptions) {
    super(store);
    const { callTimeoutMs, idleTimeoutMs } = options;
    if (!(callTimeoutMs > 0) || !(idleTimeoutMs > 0)) {
      throw new QuireError(
        'INVALID_PARAMETER',
        `callTimeoutMs is ${callTimeoutMs} and idleTimeoutMs is ${idleTimeoutMs}; expected positive numbers.`,
      );
    }
    this.#options = options;
  }

  async get(key: string, options?: GetOptions): Promise<ObjectBody> {
    const { callTimeoutMs, idleTimeoutMs } = this.#options;
    const deadline = this.#start('get', key, options);
    const opening = this.inner.get(key, { ...options, signal: deadline.signal });
    try {
      return timedBody(
        key,
        await deadline.wait(callTimeoutMs, () => opening),
        deadline,
        idleTimeoutMs,
      );
    } catch (error) {
      deadline[Symbol.dispose]();
      // A body that is opened after the timeout has no reader.
      opening.then((object) => object[Symbol.asyncDispose]()).catch(() => undefined);
      throw error;
    }
  }

  async put(
    key: string,
    body: Uint8Array | AsyncIterable<Uint8Array>,
    options?: CallOptions,
  ): Promise<ObjectEntry> {
    if (body instanceof Uint8Array) {
      return await this.call('put', key, options, (timed) => this.inner.put(key, body, timed));
    }
    const { idleTimeoutMs } = this.#options;
    using deadline = this.#start('put', key, options);
    // The time of the source does not count against the store.
    const source = observeSource(body, {
      onPull: () => deadline.stop(),
      onAnswer: () => deadline.start(idleTimeoutMs),
    });
    return await deadline.wait(idleTimeoutMs, () =>
      this.inner.put(key, source, { signal: deadline.signal }),
    );
  }

  async *list(prefix: string, options?: ListOptions): AsyncGenerator<ObjectEntry> {
    using deadline = this.#start('list', prefix, options);
    yield* timedSteps(
      this.inner.list(prefix, { ...options, signal: deadline.signal }),
      deadline,
      this.#options.idleTimeoutMs,
    );
  }

  protected override async call<T>(
    operation: StoreOperation,
    key: string,
    options: CallOptions | undefined,
    run: (options: CallOptions | undefined) => Promise<T>,
  ): Promise<T> {
    using deadline = this.#start(operation, key, options);
    const { signal } = deadline;
    return await deadline.wait(this.#options.callTimeoutMs, () => run({ signal }));
  }

  #start(operation: StoreOperation, key: string, options: CallOptions | undefined): Deadline {
    const name =
      key === '' ? `${operation} of ${this.location}` : `${operation} ${key} in ${this.location}`;
    const error = (limitMs: number): QuireError =>
      new QuireError('STORE_TIMED_OUT', `${name} made no progress for ${limitMs} ms.`);
    return new Deadline({ clock: this.#options.clock, signal: options?.signal, error });
  }
}

function timedBody(
  key: string,
  object: ObjectBody,
  deadline: Deadline,
  idleTimeoutMs: number,
): ObjectBody {
  return new SingleUseBody({
    key,
    sizeBytes: object.sizeBytes,
    chunks: () => timedSteps(object.body, deadline, idleTimeoutMs),
    release: async () => {
      deadline[Symbol.dispose]();
      const disposal = Promise.resolve(object[Symbol.asyncDispose]());
      // The body of an aborted call may be stuck, and so may its disposal: do not wait for it.
      await (deadline.signal.aborted ? void disposal.catch(() => undefined) : disposal);
    },
  });
}

/** Yields the same steps; the timeout runs only while the store works on the next one. */
async function* timedSteps<T>(
  steps: AsyncIterable<T>,
  deadline: Deadline,
  idleTimeoutMs: number,
): AsyncGenerator<T> {
  const iterator = steps[Symbol.asyncIterator]();
  let isOurs = false;
  try {
    for (;;) {
      isOurs = false;
      const step = await deadline.wait(idleTimeoutMs, () => iterator.next());
      if (step.done === true) return;
      isOurs = true;
      yield step.value;
    }
  } finally {
    if (isOurs) await iterator.return?.();
  }
}
