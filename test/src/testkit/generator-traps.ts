/**
 * Returns the parts of a document that break generators of clients, each with its path: each kind
 * has broken one.
 */
export function generatorTrapsIn(value: unknown, path = '#'): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  const {
    enum: words,
    type,
    default: preset,
  } = value as { readonly enum?: unknown; readonly type?: unknown; readonly default?: unknown };
  const traps: string[] = [];
  if (Array.isArray(words)) {
    const types = new Set(words.map((word: unknown) => (word === null ? 'null' : typeof word)));
    if (types.size > 1) traps.push(`${path} has words of several types: ${[...types].join(', ')}`);
    if (Array.isArray(type)) traps.push(`${path} has words and several types`);
  }
  if (Array.isArray(type) && /^#\/components\/schemas\/[^/]+$/.test(path)) {
    traps.push(`${path} is a component of several types`);
  }
  if (Array.isArray(type) && typeof preset === 'object') {
    traps.push(`${path} may be null, and has an object for its default`);
  }
  const isContent = path.endsWith('/content');
  for (const [name, member] of Object.entries(value)) {
    const { schema } = (member ?? {}) as { readonly schema?: object };
    if (isContent && schema !== undefined && Object.keys(schema).length === 0) {
      traps.push(`${path} ${name} is of no type`);
    }
    traps.push(...generatorTrapsIn(member, `${path}/${name}`));
  }
  return traps;
}
