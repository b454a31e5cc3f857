import type { Clock } from '../clock.ts';
import { QuireError } from '../errors.ts';
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
import { SingleUseBody } from '../store/single-use-body.ts';
import { sourceChunks } from '../store/source-chunks.ts';
import { type StoreOperation, StoreWrapper } from '../store/store-wrapper.ts';
import {
  type Fault,
  type FaultCall,
  type FaultPlan,
  injectedFailure,
  noFaults,
} from './fault-plan.ts';
import { ManualClock } from './manual-clock.ts';

/** The faults of a `FaultStore`, and its clock. */
export interface FaultStoreOptions {
  readonly plan?: FaultPlan;
  /** The clock for slow calls. */
  readonly clock?: Clock;
}

/**
 * A store whose calls fail according to a plan. The wrapped store is intact; only the calls to it
 * and their answers fail.
 */
export class FaultStore extends StoreWrapper {
  /** The plan; may be changed between calls. */
  plan: FaultPlan;
  readonly #clock: Clock;
  #callCount = 0;
  #isCrashed = false;

  constructor(store: ObjectStore, options: FaultStoreOptions = {}) {
    super(store);
    this.plan = options.plan ?? noFaults;
    this.#clock = options.clock ?? new ManualClock();
  }

  /** The number of calls so far. */
  get callCount(): number {
    return this.#callCount;
  }

  /** True if the process has "died". The wrapped store can then be passed to its successor. */
  get isCrashed(): boolean {
    return this.#isCrashed;
  }

  async get(key: string, options?: GetOptions): Promise<ObjectBody> {
    const { call, fault } = this.#plan('get', key, options?.range);
    await this.#before(call, fault, options);
    const object = await this.inner.get(key, options);
    try {
      this.#after(call, fault);
    } catch (error) {
      await object[Symbol.asyncDispose]();
      throw error;
    }
    return new SingleUseBody({
      key,
      sizeBytes: object.sizeBytes,
      chunks: () => this.#body(object.body, fault, options),
      release: () => Promise.resolve(object[Symbol.asyncDispose]()),
    });
  }

  put(
    key: string,
    body: Uint8Array | AsyncIterable<Uint8Array>,
    options?: CallOptions,
  ): Promise<ObjectEntry> {
    return this.#run('put', key, options, (call, fault) => {
      const isIntact =
        body instanceof Uint8Array && sourceBytes(fault) === Number.POSITIVE_INFINITY;
      return this.inner.put(
        key,
        isIntact ? body : this.#source(body, call, fault, options),
        options,
      );
    });
  }

  async *list(prefix: string, options?: ListOptions): AsyncGenerator<ObjectEntry> {
    const { call, fault } = this.#plan('list', prefix);
    await this.#before(call, fault, options);
    let entryCount = 0;
    for await (const entry of this.inner.list(prefix, options)) {
      await this.#between(fault, options);
      if (fault?.kind === 'cut' && entryCount >= fault.afterBytes) {
        throw fault.error ?? injectedFailure(call);
      }
      entryCount += 1;
      yield entry;
    }
    this.#after(call, fault);
  }

  protected override call<T>(
    operation: StoreOperation,
    key: string,
    options: CallOptions | undefined,
    run: (options: CallOptions | undefined) => Promise<T>,
  ): Promise<T> {
    return this.#run(operation, key, options, () => run(options));
  }

  /**
   * Reads nothing when the plan has a fault for the call: the `get` that follows receives that
   * fault.
   */
  protected override callCached(
    inner: CachedReader,
    key: string,
    range: ByteRange,
    target: Uint8Array,
  ): boolean {
    this.#assertAlive();
    const number = this.#callCount + 1;
    if (this.plan({ op: 'get', key, range, number }) !== undefined) return false;
    if (!inner.readCached(key, range, target)) return false;
    this.#callCount = number;
    return true;
  }

  #plan(
    op: FaultCall['op'],
    key: string,
    range?: ByteRange,
  ): { call: FaultCall; fault: Fault | undefined } {
    this.#assertAlive();
    this.#callCount += 1;
    const call: FaultCall = { op, key, range, number: this.#callCount };
    return { call, fault: this.plan(call) };
  }

  async #run<T>(
    op: FaultCall['op'],
    key: string,
    options: CallOptions | undefined,
    pass: (call: FaultCall, fault: Fault | undefined) => Promise<T>,
  ): Promise<T> {
    const { call, fault } = this.#plan(op, key);
    await this.#before(call, fault, options);
    const result = await pass(call, fault);
    this.#after(call, fault);
    return result;
  }

  async #before(
    call: FaultCall,
    fault: Fault | undefined,
    options: CallOptions | undefined,
  ): Promise<void> {
    if (fault?.kind === 'fail-before') throw fault.error ?? injectedFailure(call);
    if (fault?.kind === 'crash' && fault.when === 'before') this.#crash();
    await this.#between(fault, options);
  }

  async #between(fault: Fault | undefined, options: CallOptions | undefined): Promise<void> {
    if (fault?.kind === 'slow') await this.#clock.sleep(fault.delayMs, options?.signal);
    this.#assertAlive();
  }

  #after(call: FaultCall, fault: Fault | undefined): void {
    if (fault?.kind === 'fail-after') throw fault.error ?? injectedFailure(call);
    if (fault?.kind === 'crash') this.#crash();
    this.#assertAlive();
  }

  async *#body(
    chunks: AsyncIterable<Uint8Array>,
    fault: Fault | undefined,
    options: CallOptions | undefined,
  ): AsyncGenerator<Uint8Array> {
    let leftBytes = fault?.kind === 'cut' ? fault.afterBytes : Number.POSITIVE_INFINITY;
    for await (const chunk of chunks) {
      await this.#between(fault, options);
      if (leftBytes > 0) yield chunk.subarray(0, leftBytes);
      leftBytes -= chunk.byteLength;
      if (leftBytes >= 0) continue;
      if (fault?.kind === 'cut' && fault.error !== undefined) throw fault.error;
      return;
    }
  }

  async *#source(
    body: Uint8Array | AsyncIterable<Uint8Array>,
    call: FaultCall,
    fault: Fault | undefined,
    options: CallOptions | undefined,
  ): AsyncGenerator<Uint8Array> {
    let leftBytes = sourceBytes(fault);
    for await (const chunk of sourceChunks(body, options?.signal)) {
      await this.#between(fault, options);
      if (chunk.byteLength > leftBytes) {
        if (leftBytes > 0) yield chunk.subarray(0, leftBytes);
        this.#failSource(call, fault);
      }
      leftBytes -= chunk.byteLength;
      yield chunk;
    }
    if (leftBytes !== Number.POSITIVE_INFINITY) this.#failSource(call, fault);
  }

  #failSource(call: FaultCall, fault: Fault | undefined): never {
    if (fault?.kind === 'crash') this.#crash();
    if (fault?.kind === 'full') {
      throw new QuireError(
        'STORE_FULL',
        `An injected fault filled the store before ${call.key} was stored.`,
      );
    }
    throw (fault?.kind === 'cut' ? fault.error : undefined) ?? injectedFailure(call);
  }

  #crash(): never {
    this.#isCrashed = true;
    throw crashError();
  }

  #assertAlive(): void {
    if (this.#isCrashed) throw crashError();
  }
}

function sourceBytes(fault: Fault | undefined): number {
  if (fault?.kind === 'cut' || fault?.kind === 'full') return fault.afterBytes;
  if (fault?.kind === 'crash' && typeof fault.when === 'object') return fault.when.midwayBytes;
  return Number.POSITIVE_INFINITY;
}

/** Returns an error that is not retried: a dead process gets no second attempt. */
function crashError(): QuireError {
  return new QuireError('SHUTTING_DOWN', 'The process died here, according to the fault plan.');
}
