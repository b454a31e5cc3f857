import type { SourceRow, SourceValue } from '../row.ts';

/** Deepest nesting of objects that is taken apart; what lies deeper is not looked at. */
const depthMax = 100;

/** Gives every field of a row with its path joined by the delimiter, as the pipeline flattens it. Tells whether there were objects. */
export function flattenRow(row: SourceRow, delimiter: string, emit: (name: string, value: SourceValue) => void): boolean {
  let hasNested = false;
  const visit = (prefix: string, fields: SourceRow, depth: number): void => {
    for (const [name, value] of Object.entries(fields)) {
      if (!isFields(value)) emit(`${prefix}${name}`, value);
      else {
        hasNested = true;
        if (depth < depthMax) visit(`${prefix}${name}${delimiter}`, value, depth + 1);
      }
    }
  };
  visit('', row, 0);
  return hasNested;
}

function isFields(value: SourceValue): value is SourceRow {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array);
}
