import type { Cell } from '@quire/client';
import type { PreviewResponse } from '@quire/tables';
import { columnsOfSchema, type SchemaColumn } from './schema-columns.ts';

/** A column of the schema of a preview; its path starts at the response. */
export type PreviewColumn = SchemaColumn;

/** Returns the columns of the schema, time columns first. */
export function columnsOfPreview({ schema }: PreviewResponse): readonly PreviewColumn[] {
  return columnsOfSchema(schema).map((column) => ({ ...column, path: `/schema${column.path}` }));
}

/** Converts a value of a row to a cell; bytes become hex. */
export function cellOf(value: unknown): Cell {
  if (value === undefined || value === null) return null;
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  if (Array.isArray(value)) return value.map(cellOf);
  if (typeof value === 'object') {
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [name, cellOf(member)]),
    );
  }
  return value as Cell;
}

type PreviewedRow = PreviewResponse['rows'][number];

/**
 * Converts a value of a row to the cell of a column: null instead of its default, and a time as
 * text.
 */
export function columnCell(
  { fieldToValueMap, nullValueFields }: PreviewedRow,
  { name, dataType }: PreviewColumn,
): Cell {
  if (nullValueFields.includes(name)) return null;
  const value = fieldToValueMap[name];
  if (dataType !== 'TIMESTAMP' || (typeof value !== 'number' && typeof value !== 'bigint')) {
    return cellOf(value);
  }
  const time = new Date(Number(value));
  return Number.isNaN(time.getTime())
    ? cellOf(value)
    : time
        .toISOString()
        .slice(0, -1)
        .replace('T', ' ')
        .replace(/0{1,2}$/, '');
}
