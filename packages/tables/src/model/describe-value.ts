/** What a value is, for a message: its kind and the start of it. */
export function describeValue(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  switch (typeof value) {
    case 'undefined':
      return 'nothing';
    case 'string':
      return `the text ‘${value.length > 40 ? `${value.slice(0, 40)}…` : value}’`;
    case 'number':
    case 'bigint':
      return `the number ${value}`;
    case 'boolean':
      return String(value);
    default:
      return 'an object';
  }
}
