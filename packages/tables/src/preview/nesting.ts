/** Deepest nesting of what a preview takes: far more than anybody means, and far less than a stack holds. */
export const nestingMax = 100;

/** Tells whether lists and objects lie more than `depthMax` deep in each other; never goes deeper itself. */
export function isDeeperThan(value: unknown, depthMax: number): boolean {
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return false;
  if (depthMax === 0) return true;
  if (Array.isArray(value)) return value.some((element) => isDeeperThan(element, depthMax - 1));
  for (const name in value) {
    if (isDeeperThan((value as Readonly<Record<string, unknown>>)[name], depthMax - 1)) return true;
  }
  return false;
}
