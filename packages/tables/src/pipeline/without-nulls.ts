/**
 * A copy of a config without members that are null, at any depth: complete configs have null where nothing was said, which is as if
 * the member were missing.
 */
export function withoutNulls<T>(value: T): T {
  // The shape stays: every member of a config may be missing.
  return strip(value) as T;
}

function strip(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter((element) => element !== null).map(strip);
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value;
  const members = Object.entries(value).filter(([, member]) => member !== null && member !== undefined);
  return Object.fromEntries(members.map(([name, member]: [string, unknown]) => [name, strip(member)]));
}
