import { isQuireError, type ErrorCode } from '../errors.ts';
import type {
  ByteRange,
  CallOptions,
  GetOptions,
  ListOptions,
  ObjectBody,
  ObjectEntry,
} from '../object-store.ts';
import type { CachedReader } from '../store-capabilities.ts';
import { SingleUseBody } from '../store/single-use-body.ts';
import { observeSource } from '../store/observe-source.ts';
import { type StoreOperation, StoreWrapper } from '../store/store-wrapper.ts';

/** One call, updated while it runs. */
export interface RecordedCall {
  readonly op: StoreOperation;
  /** The key; of a `list`, the prefix. */
  readonly key: string;
  /** The range of a `get`, if it has one. */
  readonly range?: ByteRange;
  /** The `after` of a `list`, if it has one. */
  readonly after?: string;
  /** Bytes that a `get` has delivered or a `put` has taken so far. */
  bytes: number;
  /** Entries that a `list` has yielded so far. */
  entryCount: number;
  /** The outcome of the call; undefined while it runs, or when its reader left. */
  outcome: 'ok' | ErrorCode | undefined;
}

/**
 * A store that records all calls in the order of their starts, for tests that count requests and
 * bytes.
 */
export class RecordingStore extends StoreWrapper {
  #calls: RecordedCall[] = [];

  get calls(): readonly RecordedCall[] {
    return this.#calls;
  }

  /** The number of bytes that all `get` calls have delivered. */
  get bytesRead(): number {
    return this.#calls.reduce((sum, call) => sum + (call.op === 'get' ? call.bytes : 0), 0);
  }

  /** Returns the number of calls of one kind, or of all. */
  count(op?: RecordedCall['op']): number {
    return op === undefined
      ? this.#calls.length
      : this.#calls.filter((call) => call.op === op).length;
  }

  /** Forgets all calls so far. */
  reset(): void {
    this.#calls = [];
  }

  async get(key: string, options?: GetOptions): Promise<ObjectBody> {
    const call = this.#record({ op: 'get', key, ...(options?.range && { range: options.range }) });
    const object = await this.#around(call, () => this.inner.get(key, options));
    call.outcome = undefined;
    return new SingleUseBody({
      key,
      sizeBytes: object.sizeBytes,
      chunks: () => recorded(object.body, call),
      release: async () => object[Symbol.asyncDispose](),
    });
  }

  put(
    key: string,
    body: Uint8Array | AsyncIterable<Uint8Array>,
    options?: CallOptions,
  ): Promise<ObjectEntry> {
    const call = this.#record({ op: 'put', key });
    if (body instanceof Uint8Array) call.bytes = body.byteLength;
    const source =
      body instanceof Uint8Array
        ? body
        : observeSource(body, { onChunk: (chunk) => (call.bytes += chunk.byteLength) });
    return this.#around(call, () => this.inner.put(key, source, options));
  }

  async *list(prefix: string, options?: ListOptions): AsyncGenerator<ObjectEntry> {
    const call = this.#record({
      op: 'list',
      key: prefix,
      ...(options?.after !== undefined && { after: options.after }),
    });
    try {
      for await (const entry of this.inner.list(prefix, options)) {
        call.entryCount += 1;
        yield entry;
      }
      call.outcome = 'ok';
    } catch (error) {
      call.outcome = outcomeOf(error);
      throw error;
    }
  }

  protected override call<T>(
    op: StoreOperation,
    key: string,
    options: CallOptions | undefined,
    run: (options: CallOptions | undefined) => Promise<T>,
  ): Promise<T> {
    return this.#around(this.#record({ op, key }), () => run(options));
  }

  /** Records successful cached reads as a `get`; other reads use a `get` of their own. */
  protected override callCached(
    inner: CachedReader,
    key: string,
    range: ByteRange,
    target: Uint8Array,
  ): boolean {
    if (!inner.readCached(key, range, target)) return false;
    Object.assign(this.#record({ op: 'get', key, range }), {
      bytes: target.byteLength,
      outcome: 'ok',
    });
    return true;
  }

  #record(started: Pick<RecordedCall, 'op' | 'key' | 'range' | 'after'>): RecordedCall {
    const call: RecordedCall = { ...started, bytes: 0, entryCount: 0, outcome: undefined };
    this.#calls.push(call);
    return call;
  }

  async #around<T>(call: RecordedCall, run: () => Promise<T>): Promise<T> {
    try {
      const result = await run();
      call.outcome = 'ok';
      return result;
    } catch (error) {
      call.outcome = outcomeOf(error);
      throw error;
    }
  }
}

async function* recorded(
  chunks: AsyncIterable<Uint8Array>,
  call: RecordedCall,
): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of chunks) {
      call.bytes += chunk.byteLength;
      yield chunk;
    }
    call.outcome = 'ok';
  } catch (error) {
    call.outcome = outcomeOf(error);
    throw error;
  }
}

function outcomeOf(error: unknown): ErrorCode {
  return isQuireError(error) ? error.code : 'INTERNAL';
}
