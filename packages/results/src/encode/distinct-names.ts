import type { Field } from 'apache-arrow';

/** Returns the names of fields; a repeated one gets a number. */
export function distinctNames(fields: readonly Field[]): string[] {
  const seen = new Set<string>();
  return fields.map((field) => {
    let name = field.name;
    for (let count = 1; seen.has(name); count += 1) name = `${field.name}_${count}`;
    seen.add(name);
    return name;
  });
}
