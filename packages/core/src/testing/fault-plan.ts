import { QuireError } from '../errors.ts';
import type { ByteRange } from '../object-store.ts';
import type { Random } from '../random.ts';
import type { StoreOperation } from '../store/store-wrapper.ts';

/** A call that a FaultStore is about to forward. */
export interface FaultCall {
  readonly op: StoreOperation;
  /** The key; of a `list`, the prefix. */
  readonly key: string;
  readonly range: ByteRange | undefined;
  /** The number of the call in its store, from 1. */
  readonly number: number;
}

/** The fault of one call. */
export type Fault =
  /** The call fails and has no effect. A `list` fails before its first entry. */
  | { readonly kind: 'fail-before'; readonly error?: QuireError }
  /**
   * The call takes effect and then fails: the answer was lost. A `get` delivers nothing, a `list`
   * fails after its last entry.
   */
  | { readonly kind: 'fail-after'; readonly error?: QuireError }
  /**
   * After `afterBytes`, a `get` ends, or fails with `error`; the source of a `put` fails. After
   * that many entries, a `list` fails.
   */
  | { readonly kind: 'cut'; readonly afterBytes: number; readonly error?: QuireError }
  /**
   * The disk is full: a `put` fails with STORE_FULL once it has accepted `afterBytes`. Other calls
   * pass.
   */
  | { readonly kind: 'full'; readonly afterBytes: number }
  /** The call, and each of its chunks and entries, is delayed by `delayMs` of the store's clock. */
  | { readonly kind: 'slow'; readonly delayMs: number }
  /**
   * The process dies: this call, other running calls and all later ones throw. The call has taken
   * effect with `after`; with `midway` the source of a `put` was partly read; otherwise it was
   * never started.
   */
  | {
      readonly kind: 'crash';
      readonly when: 'before' | 'after' | { readonly midwayBytes: number };
    };

/** Decides about each call; undefined lets it pass. */
export type FaultPlan = (call: FaultCall) => Fault | undefined;

/** Lets all calls pass. */
export const noFaults: FaultPlan = () => undefined;

/** Returns the default error of a fault: STORE_UNAVAILABLE, which callers may retry. */
export function injectedFailure(call: FaultCall): QuireError {
  return new QuireError(
    'STORE_UNAVAILABLE',
    `An injected fault hit call ${call.number}: ${call.op} ${call.key}.`,
  );
}

/** Returns a plan with the fault once, at the call with this number. */
export function faultAt(callNumber: number, fault: Fault): FaultPlan {
  return (call) => (call.number === callNumber ? fault : undefined);
}

/** Returns a plan with the fault at each call of a kind, at most `times` times. */
export function faultOn(
  op: FaultCall['op'],
  fault: Fault,
  times = Number.POSITIVE_INFINITY,
): FaultPlan {
  let left = times;
  return (call) => {
    if (call.op !== op || left <= 0) return undefined;
    left -= 1;
    return fault;
  };
}

/**
 * Returns a plan in which calls fail at random, half of them after they took effect; `chance` is
 * between 0 and 1.
 */
export function randomFailures(random: Random, chance: number): FaultPlan {
  return () => {
    if (random.fraction() >= chance) return undefined;
    return { kind: random.fraction() < 0.5 ? 'fail-before' : 'fail-after' };
  };
}
