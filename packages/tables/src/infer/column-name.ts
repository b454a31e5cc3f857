/** A name that a column can have, for a field: without white space and leading $, and not taken yet. */
export function columnNameFor(field: string, taken: ReadonlySet<string>): string {
  const name = field.trim().replaceAll(/\s+/g, '_').replace(/^\$+/, '') || 'column';
  if (!taken.has(name)) return name;
  let number = 2;
  while (taken.has(`${name}_${number}`)) number += 1;
  return `${name}_${number}`;
}
