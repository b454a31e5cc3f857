const entryCountMax = 256;

/**
 * Caches the results of a function for its last few hundred texts, because many rows use the same
 * few patterns and paths.
 */
export function memoize<T>(make: (text: string) => T): (text: string) => T {
  const made = new Map<string, T>();
  return (text) => {
    const kept = made.get(text);
    if (kept !== undefined) return kept;
    const fresh = make(text);
    if (made.size >= entryCountMax) made.clear();
    made.set(text, fresh);
    return fresh;
  };
}
