import { columnsOf, type Evaluator, type Expression } from '@quire/expressions';

/** A column and the expression that makes it, read. */
export interface Transform {
  readonly column: string;
  /** What it reads, and what it makes unless `evaluate` does. */
  readonly expression: Expression;
  readonly evaluate?: Evaluator;
  /** JSON pointer to where it stands. */
  readonly path: string;
}

/** Transforms so that each comes after those whose columns it reads; and those that go round in circles. */
export interface TransformOrder {
  readonly ordered: readonly Transform[];
  /** Each a way from a column back to itself: `[a, b]` where a reads b and b reads a. */
  readonly cycles: readonly (readonly Transform[])[];
  /** Those that read a column that a cycle would have made. */
  readonly blocked: readonly Transform[];
}

/**
 * Orders transforms by what they read (depth first, R. Tarjan, 1976); otherwise they keep their order.
 *
 * Ends after as many steps as there are transforms and columns that they read, whatever they read.
 */
export function orderTransforms(transforms: readonly Transform[]): TransformOrder {
  const byColumn = new Map(transforms.map((transform) => [transform.column, transform]));
  const dependencies = new Map(
    transforms.map((transform) => [transform, columnsOf(transform.expression).flatMap((column) => byColumn.get(column) ?? [])]),
  );
  const state = new Map<Transform, 'open' | 'done' | 'broken'>();
  const ordered: Transform[] = [];
  const blocked: Transform[] = [];
  const cycles: (readonly Transform[])[] = [];
  const inCycle = new Set<Transform>();

  for (const root of transforms) {
    if (state.has(root)) continue;
    const way: { readonly transform: Transform; next: number; isBroken: boolean }[] = [];
    const enter = (transform: Transform): void => {
      state.set(transform, 'open');
      way.push({ transform, next: 0, isBroken: false });
    };
    enter(root);
    for (let top = way.at(-1); top !== undefined; top = way.at(-1)) {
      const dependency = dependencies.get(top.transform)?.[top.next];
      top.next += 1;
      if (dependency === undefined) {
        way.pop();
        const isBroken = top.isBroken || inCycle.has(top.transform);
        state.set(top.transform, isBroken ? 'broken' : 'done');
        if (!isBroken) ordered.push(top.transform);
        else if (!inCycle.has(top.transform)) blocked.push(top.transform);
        const reader = way.at(-1);
        if (isBroken && reader !== undefined) reader.isBroken = true;
        continue;
      }
      const known = state.get(dependency);
      if (known === undefined) enter(dependency);
      else if (known === 'broken') top.isBroken = true;
      else if (known === 'open') {
        const cycle = way.slice(way.findIndex(({ transform }) => transform === dependency)).map(({ transform }) => transform);
        cycles.push(cycle);
        for (const member of cycle) inCycle.add(member);
      }
    }
  }
  return { ordered, cycles, blocked };
}
