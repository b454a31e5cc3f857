/** A column of a table's schema. */
export interface SchemaColumn {
  readonly name: string;
  /** The type, with `_ARRAY` if a row has several values. */
  readonly dataType: string;
  readonly kind: string;
  /** The JSON pointer to it, from the schema. */
  readonly path: string;
}

const kinds = [
  ['dateTimeFieldSpecs', 'time'],
  ['dimensionFieldSpecs', 'dimension'],
  ['metricFieldSpecs', 'metric'],
  ['complexFieldSpecs', 'complex'],
] as const;

/** Members that Apache Pinot may omit: null in a preview and absent in a table's schema. */
interface FieldSpec {
  readonly name?: string | null;
  readonly dataType?: string | null;
  readonly singleValueField?: boolean | null;
}

/** Returns the columns of a schema, time columns first; empty for values that are not a schema. */
export function columnsOfSchema(schema: unknown): readonly SchemaColumn[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const lists = schema as Readonly<Record<string, readonly FieldSpec[] | null | undefined>>;
  return kinds.flatMap(([list, kind]) =>
    (lists[list] ?? []).map(({ name, dataType, singleValueField }, index) => ({
      name: name ?? '',
      dataType: `${dataType ?? 'STRING'}${singleValueField === false ? '_ARRAY' : ''}`,
      kind,
      path: `/${list}/${index}`,
    })),
  );
}
