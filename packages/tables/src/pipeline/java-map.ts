/** Names in the order in which a HashMap of Java has them: maps of rows are written so, and columns are renamed so. */
export function hashMapOrder(names: readonly string[], capacity: number): readonly string[] {
  if (names.length < 2) return names;
  return names
    .map((name, index) => ({ name, index, bucket: (capacity - 1) & spreadHash(name) }))
    .toSorted((a, b) => a.bucket - b.bucket || a.index - b.index)
    .map(({ name }) => name);
}

/** How many buckets a map has that was made for so many entries (Guava's newHashMapWithExpectedSize). */
export function expectedCapacity(count: number): number {
  return powerOfTwo(count < 3 ? count + 1 : Math.trunc(count / 0.75 + 1));
}

/** How many buckets a map has that has grown to so many entries. */
export function grownCapacity(count: number): number {
  return Math.max(16, powerOfTwo(Math.ceil(count / 0.75)));
}

function powerOfTwo(wanted: number): number {
  return 2 ** Math.ceil(Math.log2(Math.max(1, wanted)));
}

function spreadHash(name: string): number {
  let hash = 0;
  for (let index = 0; index < name.length; index += 1) hash = (Math.imul(hash, 31) + name.charCodeAt(index)) | 0;
  return hash ^ (hash >>> 16);
}
