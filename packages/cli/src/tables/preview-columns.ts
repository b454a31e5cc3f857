import type { Cell } from '@quire/client';
import type { PreviewResponse } from '@quire/tables';

/** A column of the schema of a preview. */
export interface PreviewColumn {
  readonly name: string;
  readonly dataType: string;
  readonly kind: string;
  /** JSON pointer to it, from the answer. */
  readonly path: string;
}

const kinds = [
  ['dateTimeFieldSpecs', 'time'],
  ['dimensionFieldSpecs', 'dimension'],
  ['metricFieldSpecs', 'metric'],
  ['complexFieldSpecs', 'complex'],
] as const;

interface CompleteColumn {
  readonly name: string | null;
  readonly dataType: string | null;
  readonly singleValueField: boolean | null;
}

/** The columns of the schema, those of time first. */
export function columnsOfPreview({ schema }: PreviewResponse): readonly PreviewColumn[] {
  if (schema === null) return [];
  return kinds.flatMap(([list, kind]) =>
    (schema[list] as readonly CompleteColumn[]).map(
      ({ name, dataType, singleValueField }, index) => {
        return {
          name: name ?? '',
          dataType: `${dataType ?? 'STRING'}${singleValueField === false ? '_ARRAY' : ''}`,
          kind,
          path: `/schema/${list}/${index}`,
        };
      },
    ),
  );
}

/** A value of a row as tables show it; bytes as hex. */
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
 * A value as the table holds it: a null as such, not as the default that stands for it; a time as
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
