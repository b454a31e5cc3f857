import type { Fault } from '@quire/core/testing';
import fc from 'fast-check';

/** The faults of calls to the store while an action runs. */
export interface Conditions {
  /** The call that fails, counted from the first one of the action, and its failure. */
  readonly fault: { readonly at: number; readonly fault: Fault } | undefined;
  /**
   * Seed of the delays of all calls, so that concurrent actions interleave in varying orders;
   * undefined: no delays.
   */
  readonly delaySeed: number | undefined;
}

/** Owners of results; `none`: the id was created by an earlier release and has no owner tag. */
export const owners = ['ann', 'bob', 'cy', 'none'] as const;
export type Owner = (typeof owners)[number];

/**
 * An event of a broker's store. Results are named by their position among all that were ever
 * started.
 */
export type Action =
  | { readonly kind: 'write'; readonly rowCount: number; readonly owner?: Owner }
  | {
      readonly kind: 'abort';
      readonly rowCount: number;
      readonly afterMs: number;
      readonly owner?: Owner;
    }
  | {
      readonly kind: 'read';
      readonly result: number;
      readonly offset: number;
      readonly rowCount: number;
    }
  | { readonly kind: 'renew'; readonly result: number; readonly durationMs: number }
  | { readonly kind: 'delete'; readonly result: number }
  | { readonly kind: 'sweep'; readonly by: 'broker' | 'daemon' }
  | { readonly kind: 'tick'; readonly durationMs: number }
  | { readonly kind: 'step-clock'; readonly deltaMs: number }
  | {
      readonly kind: 'quota';
      readonly quotaBytes: number | undefined;
      readonly protectionMs: number;
      /** Share of each owner, in percent of the quota; default 100. */
      readonly maxPercent?: number;
      /** Share of the first owner. */
      readonly firstBytes?: number | undefined;
    }
  | { readonly kind: 'restart'; readonly who: 'broker' | 'daemon' };

/** One action, or two concurrent ones, under some faults. */
export interface Scene {
  readonly actions: readonly Action[];
  readonly conditions: Conditions;
}

const hourMs = 3_600_000;
const result = fc.nat(11);
const rowCount = fc.oneof(
  { weight: 4, arbitrary: fc.nat(300) },
  { weight: 1, arbitrary: fc.integer({ min: 300, max: 2500 }) },
);

const owner = fc.constantFrom(...owners);

const write = fc.record({ kind: fc.constant('write' as const), rowCount, owner });
const read = fc.record({
  kind: fc.constant('read' as const),
  result,
  offset: fc.nat(300),
  rowCount: fc.integer({ min: 1, max: 300 }),
});
const renew = fc.record({
  kind: fc.constant('renew' as const),
  result,
  durationMs: fc.constantFrom(1, hourMs / 2, hourMs, 5 * hourMs),
});
const remove = fc.record({ kind: fc.constant('delete' as const), result });
const sweep = fc.record({
  kind: fc.constant('sweep' as const),
  by: fc.constantFrom('broker' as const, 'daemon' as const),
});

const abort = fc.record({
  kind: fc.constant('abort' as const),
  rowCount,
  afterMs: fc.nat(20),
  owner,
});

/** The actions that may run concurrently with others. */
const concurrent: fc.Arbitrary<Action> = fc.oneof(
  { weight: 3, arbitrary: write },
  ...[abort, read, renew, remove, sweep].map((arbitrary) => ({
    weight: 1,
    arbitrary: arbitrary as fc.Arbitrary<Action>,
  })),
);

const single: fc.Arbitrary<Action> = fc.oneof(
  { weight: 6, arbitrary: write },
  { weight: 1, arbitrary: abort },
  { weight: 4, arbitrary: read },
  { weight: 3, arbitrary: renew },
  { weight: 1, arbitrary: remove },
  { weight: 5, arbitrary: sweep },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('tick' as const),
      durationMs: fc.constantFrom(1, 600_000, hourMs, 2 * hourMs),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('step-clock' as const),
      deltaMs: fc.constantFrom(-24, -1, 1, 24).map((h) => h * hourMs),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('quota' as const),
      quotaBytes: fc.constantFrom(undefined, 3000, 8000, 20_000, 40_000),
      protectionMs: fc.constantFrom(0, 60_000),
      maxPercent: fc.constantFrom(100, 100, 60, 30),
      firstBytes: fc.constantFrom(undefined, undefined, 2500, 6000),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('restart' as const),
      who: fc.constantFrom('broker' as const, 'daemon' as const),
    }),
  },
);

const fault: fc.Arbitrary<Fault> = fc.oneof(
  fc.constant<Fault>({ kind: 'fail-before' }),
  fc.constant<Fault>({ kind: 'fail-after' }),
  fc.constant<Fault>({ kind: 'full', afterBytes: 100 }),
  fc.constant<Fault>({ kind: 'crash', when: 'before' }),
  fc.constant<Fault>({ kind: 'crash', when: 'after' }),
  fc.constant<Fault>({ kind: 'crash', when: { midwayBytes: 400 } }),
);

const undisturbed: Conditions = { fault: undefined, delaySeed: undefined };
const anyConditions: fc.Arbitrary<Conditions> = fc.oneof(
  { weight: 3, arbitrary: fc.constant(undisturbed) },
  {
    weight: 2,
    arbitrary: fc.record({
      fault: fc.record({ at: fc.integer({ min: 1, max: 8 }), fault }),
      delaySeed: fc.constant(undefined),
    }),
  },
);
const disturbed: fc.Arbitrary<Conditions> = fc.record({
  fault: fc.option(fc.record({ at: fc.integer({ min: 1, max: 12 }), fault }), {
    nil: undefined,
    freq: 4,
  }),
  delaySeed: fc.integer({ min: 1, max: 1e6 }),
});

export const scenes: fc.Arbitrary<Scene> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ actions: single.map((action) => [action]), conditions: anyConditions }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      actions: fc.array(concurrent, { minLength: 2, maxLength: 3 }),
      conditions: disturbed,
    }),
  },
  // Writes that together exceed the quota, and wait for each other.
  {
    weight: 1,
    arbitrary: fc.record({
      actions: fc.array(fc.oneof(write, abort), { minLength: 3, maxLength: 5 }),
      conditions: disturbed,
    }),
  },
);
