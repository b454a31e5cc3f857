/**
 * Returns distinct names by which SQL can address the columns of a result. A name that occurred
 * before, ignoring case, gets a number appended; an empty one gets a name.
 */
export function distinctNames(names: readonly string[]): readonly string[] {
  const taken = new Set<string>();
  return names.map((name, index) => {
    const base = name === '' ? `column${index}` : name;
    let distinct = base;
    for (let number = 1; taken.has(distinct.toLowerCase()); number += 1) {
      distinct = `${base}_${number}`;
    }
    taken.add(distinct.toLowerCase());
    return distinct;
  });
}
