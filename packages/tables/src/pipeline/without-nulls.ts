/**
 * A copy of a config without members that are null, at any depth, and without sections that have only nulls: complete configs
 * have these where nothing was said, which is as if they were missing. An empty section stays: it acts by being there.
 */
export function withoutNulls<T extends object>(config: T): T {
  // The shape stays: every member of a config may be missing.
  return (strip(config) ?? {}) as T;
}

function strip(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(strip).filter((element) => element !== undefined);
  if (value === null) return undefined;
  if (typeof value !== 'object' || value instanceof Uint8Array) return value;
  const given = Object.entries(value).filter(([, member]) => member !== undefined);
  const members = given.map(([name, member]: [string, unknown]) => [name, strip(member)] as const);
  const said = members.filter(([, member]) => member !== undefined);
  return said.length === 0 && members.length > 0 ? undefined : Object.fromEntries(said);
}
