/** Values in nested groups, by their names. */
export interface ValueTree {
  [name: string]: unknown;
}

/** Sets the value at a path, and creates the groups on the path. */
export function setValue(
  tree: ValueTree,
  [name, ...rest]: readonly [string, ...string[]],
  value: unknown,
): void {
  const [next, ...others] = rest;
  if (next === undefined) tree[name] = value;
  else setValue((tree[name] ??= {}) as ValueTree, [next, ...others], value);
}

/** Returns the value at a path whose groups all exist. */
export function valueAt(tree: object, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, name) => (value as ValueTree)[name], tree);
}

/** Freezes a value with everything in it. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  for (const member of Object.values(value)) deepFreeze(member);
  return Object.freeze(value);
}
