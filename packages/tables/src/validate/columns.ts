import { pointerTo } from '../finding.ts';
import type { DataType, DateTimeFieldSpec, FieldSpec, TableSchema } from '../schema/table-schema.ts';

/** A column of a schema as rules look at it. */
export interface Column {
  readonly kind: 'dimension' | 'metric' | 'dateTime' | 'complex' | 'time';
  /** Empty when it is missing. */
  readonly name: string;
  readonly dataType: DataType | undefined;
  readonly isMultiValue: boolean;
  readonly spec: FieldSpec & DateTimeFieldSpec;
  /** JSON pointer into the schema. */
  readonly path: string;
}

const lists = [
  ['dimensionFieldSpecs', 'dimension'],
  ['metricFieldSpecs', 'metric'],
  ['dateTimeFieldSpecs', 'dateTime'],
  ['complexFieldSpecs', 'complex'],
] as const;

/** The columns of a schema, in its order. */
export function columnsOf(schema: TableSchema): readonly Column[] {
  const listed = lists.flatMap(([list, kind]) =>
    (schema[list] ?? []).map((spec, index) => columnOf(kind, spec, pointerTo('', list, index))),
  );
  const { timeFieldSpec } = schema;
  return timeFieldSpec === undefined ? listed : [...listed, columnOf('time', timeFieldSpec, '/timeFieldSpec')];
}

function columnOf(kind: Column['kind'], spec: FieldSpec, path: string): Column {
  return { kind, name: spec.name ?? '', dataType: spec.dataType, isMultiValue: spec.singleValueField === false, spec, path };
}

const numericTypes: readonly (DataType | undefined)[] = ['INT', 'LONG', 'FLOAT', 'DOUBLE', 'BIG_DECIMAL'];

export function isNumeric(column: Column): boolean {
  return numericTypes.includes(column.dataType);
}

/** Names that stand in a list more than once, with the places after the first. */
export function* repeated(names: readonly string[]): Generator<readonly [name: string, index: number]> {
  const seen = new Set<string>();
  for (const [index, name] of names.entries()) {
    if (name !== '' && seen.has(name)) yield [name, index];
    seen.add(name);
  }
}
