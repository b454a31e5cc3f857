/** A column of a table's schema. */
export interface SchemaColumn {
  readonly name: string;
  /** The type, with `_ARRAY` where a row has several values. */
  readonly dataType: string;
  readonly kind: string;
  /** JSON pointer to it, from the schema. */
  readonly path: string;
}

const kinds = [
  ['dateTimeFieldSpecs', 'time'],
  ['dimensionFieldSpecs', 'dimension'],
  ['metricFieldSpecs', 'metric'],
  ['complexFieldSpecs', 'complex'],
] as const;

/** Members that Pinot may leave out are null in a preview and absent in a table's schema. */
interface FieldSpec {
  readonly name?: string | null;
  readonly dataType?: string | null;
  readonly singleValueField?: boolean | null;
}

/** The columns of a schema, those of time first; none of what is not a schema. */
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
