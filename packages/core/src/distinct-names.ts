/**
 * Returns the names by which SQL can address the columns of a result, of which several may have one
 * name: a name that came before, in whatever case, gets a number, and an empty one a name.
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
