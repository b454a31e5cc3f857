import type { Clock } from '../clock.ts';
import { type ErrorCode, isQuireError } from '../errors.ts';
import type {
  ByteRange,
  CallOptions,
  GetOptions,
  ListOptions,
  ObjectBody,
  ObjectEntry,
  ObjectStore,
} from '../object-store.ts';
import type { CachedReader } from '../store-capabilities.ts';
import { systemClock } from '../system-clock.ts';
import { runInSpan, type Span, startSpan } from '../trace/tracer.ts';
import { SingleUseBody } from './single-use-body.ts';
import { observeSource } from './observe-source.ts';
import { type StoreOperation, StoreWrapper } from './store-wrapper.ts';

/** One finished call of a store. */
export interface StoreCall {
  readonly op: StoreOperation;
  /** The key; of a `list`, the prefix. */
  readonly key: string;
  /** The range of a `get`, if it has one. */
  readonly range: ByteRange | undefined;
  /** Bytes that a `get` delivered or a `put` took from its source. */
  readonly bytes: number;
  /** Entries that a `list` yielded. */
  readonly entryCount: number;
  /** The duration of the call; for `get` and `list` it includes the time of their reader. */
  readonly durationMs: number;
  /**
   * `abandoned`: the reader left a body or a listing before its end. An error that is not a
   * QuireError counts as INTERNAL.
   */
  readonly outcome: 'ok' | 'abandoned' | ErrorCode;
}

/**
 * Returns the same store, which reports each call once when it has ended, for metrics and logs.
 * `onCall` must not throw.
 */
export function withObserver(
  store: ObjectStore,
  onCall: (call: StoreCall) => void,
  clock: Clock = systemClock,
): ObjectStore {
  return new ObservedStore(store, onCall, clock);
}

class ObservedStore extends StoreWrapper {
  readonly #onCall: (call: StoreCall) => void;
  readonly #clock: Clock;

  constructor(store: ObjectStore, onCall: (call: StoreCall) => void, clock: Clock) {
    super(store);
    this.#onCall = onCall;
    this.#clock = clock;
  }

  async get(key: string, options?: GetOptions): Promise<ObjectBody> {
    const call = this.#start('get', key, options?.range);
    try {
      const body = await runInSpan(call.span, () => this.inner.get(key, options));
      return observedBody(key, body, call);
    } catch (error) {
      call.end(outcomeOf(error));
      throw error;
    }
  }

  put(
    key: string,
    body: Uint8Array | AsyncIterable<Uint8Array>,
    options?: CallOptions,
  ): Promise<ObjectEntry> {
    const call = this.#start('put', key);
    if (body instanceof Uint8Array) {
      call.bytes = body.byteLength;
      return call.around(() => this.inner.put(key, body, options));
    }
    const source = observeSource(body, { onChunk: (chunk) => (call.bytes += chunk.byteLength) });
    return call.around(() => this.inner.put(key, source, options));
  }

  async *list(prefix: string, options?: ListOptions): AsyncGenerator<ObjectEntry> {
    const call = this.#start('list', prefix);
    try {
      for await (const entry of this.inner.list(prefix, options)) {
        call.entryCount += 1;
        yield entry;
      }
      call.end('ok');
    } catch (error) {
      call.end(outcomeOf(error));
      throw error;
    } finally {
      call.end('abandoned');
    }
  }

  protected override call<T>(
    operation: StoreOperation,
    key: string,
    options: CallOptions | undefined,
    run: (options: CallOptions | undefined) => Promise<T>,
  ): Promise<T> {
    return this.#start(operation, key).around(() => run(options));
  }

  /** Reports only successful cached reads; a `get` reads the rest. */
  protected override callCached(
    inner: CachedReader,
    key: string,
    range: ByteRange,
    target: Uint8Array,
  ): boolean {
    const startMs = this.#clock.monotonicMs();
    if (!inner.readCached(key, range, target)) return false;
    const durationMs = this.#clock.monotonicMs() - startMs;
    this.#onCall({
      op: 'get',
      key,
      range,
      bytes: target.byteLength,
      entryCount: 0,
      durationMs,
      outcome: 'ok',
    });
    return true;
  }

  #start(op: StoreOperation, key: string, range?: ByteRange): PendingCall {
    const startMs = this.#clock.monotonicMs();
    const attributes = { 'quire.store.key': key, 'quire.store.location': this.location };
    const span = startSpan(`store.${op}`, { kind: 'client', attributes });
    return new PendingCall(span, ({ bytes, entryCount }, outcome) => {
      this.#onCall({
        op,
        key,
        range,
        bytes,
        entryCount,
        durationMs: this.#clock.monotonicMs() - startMs,
        outcome,
      });
    });
  }
}

/** The counters of one call until it ends; only its first end is reported. */
class PendingCall {
  bytes = 0;
  entryCount = 0;
  readonly span: Span | undefined;
  #report: ((call: PendingCall, outcome: StoreCall['outcome']) => void) | undefined;

  constructor(
    span: Span | undefined,
    report: (call: PendingCall, outcome: StoreCall['outcome']) => void,
  ) {
    this.span = span;
    this.#report = report;
  }

  end(outcome: StoreCall['outcome']): void {
    const report = this.#report;
    this.#report = undefined;
    report?.(this, outcome);
    this.span?.set({ 'quire.store.bytes': this.bytes });
    this.span?.end(outcome === 'ok' || outcome === 'abandoned' ? undefined : outcome);
  }

  async around<T>(run: () => Promise<T>): Promise<T> {
    try {
      const result = await runInSpan(this.span, run);
      this.end('ok');
      return result;
    } catch (error) {
      this.end(outcomeOf(error));
      throw error;
    }
  }
}

function observedBody(key: string, object: ObjectBody, call: PendingCall): ObjectBody {
  async function* chunks(): AsyncGenerator<Uint8Array> {
    try {
      for await (const chunk of object.body) {
        call.bytes += chunk.byteLength;
        yield chunk;
      }
      call.end('ok');
    } catch (error) {
      call.end(outcomeOf(error));
      throw error;
    }
  }
  return new SingleUseBody({
    key,
    sizeBytes: object.sizeBytes,
    chunks,
    release: async () => {
      call.end('abandoned');
      await object[Symbol.asyncDispose]();
    },
  });
}

function outcomeOf(error: unknown): ErrorCode {
  return isQuireError(error) ? error.code : 'INTERNAL';
}
