import { refer } from '@quire/api';
import { PreviewObject, TableConfig, TableSchema } from '@quire/tables';
import { Type } from '@quire/core/schema';
import type { TSchema } from 'typebox';

/** The schemas of the calls about tables, as the API document has them. */

const TableConfigDocument = named('TableConfig', TableConfig);
const TableSchemaDocument = named('TableSchema', TableSchema);
const CompleteTableConfig = named('CompleteTableConfig', completeSchemaOf(TableConfig as object));
const CompleteTableSchema = named('CompleteTableSchema', completeSchemaOf(TableSchema as object));

const TableConfigsDocument = Type.Object(
  {
    tableName: Type.Optional(Type.String({ description: 'Name of the table.' })),
    schema: Type.Optional(refer(TableSchemaDocument)),
    offline: Type.Optional(refer(TableConfigDocument)),
    realtime: Type.Optional(refer(TableConfigDocument)),
  },
  {
    $id: 'TableConfigs',
    additionalProperties: true,
    description: 'Schema and configs of a table together.',
  },
);

const orNull = (schema: TSchema): TSchema => Type.Union([refer(schema), Type.Null()]);

const { sourceRows, rows, config, summary, ...members } = PreviewObject.properties;

const PreviewDocument = Type.Object(
  {
    ...members,
    sourceRows,
    rows,
    config,
    summary,
    tableConfig: Type.Optional(refer(TableConfigDocument)),
    schema: Type.Optional(refer(TableSchemaDocument)),
    tableConfigs: Type.Optional(refer(TableConfigsDocument)),
  },
  {
    $id: 'Preview',
    additionalProperties: true,
    description: 'The table to preview. All members are optional.',
  },
);

const FindingDocument = Type.Object(
  {
    path: Type.String({ description: 'JSON pointer to the subject.' }),
    code: Type.String({ description: 'The code, for programs.' }),
    message: Type.String({ description: 'The finding as a sentence.' }),
    severity: Type.Unsafe<string>({
      type: 'string',
      enum: ['error', 'warning', 'info'],
      description: 'Its severity.',
    }),
  },
  { $id: 'Finding', description: 'An error, a warning or a hint.' },
);

const findings = Type.Array(refer(FindingDocument), {
  description: 'All findings, in the order of their paths.',
});
const unrecognizedProperties = Type.Record(Type.String(), Type.Unknown(), {
  description: 'Unknown members of the request, by JSON pointer.',
});
const verdict = {
  valid: Type.Boolean({ description: 'True if no finding is an error.' }),
  findings,
  unrecognizedProperties,
};

const CheckedSchema = Type.Object(
  { schema: refer(CompleteTableSchema), ...verdict },
  {
    $id: 'CheckedSchema',
    description: 'A schema with all its members, and all findings about it.',
  },
);

const CheckedTable = Type.Object(
  {
    OFFLINE: Type.Optional(refer(CompleteTableConfig)),
    REALTIME: Type.Optional(refer(CompleteTableConfig)),
    ...verdict,
  },
  {
    $id: 'CheckedTable',
    description: 'A config with all its members, under its type, and all findings about it.',
  },
);

const tables = {
  tableName: Type.String({ description: 'Name of the table.' }),
  schema: orNull(CompleteTableSchema),
  offline: orNull(CompleteTableConfig),
  realtime: orNull(CompleteTableConfig),
};

const CheckedTables = Type.Object(
  { ...tables, ...verdict },
  {
    $id: 'CheckedTables',
    description: 'Schema and configs with all their members, and all findings about them.',
  },
);

const sampledRow = {
  nullValueFields: Type.Array(Type.String(), {
    description: 'Columns without a value, which have their default.',
  }),
  fieldToValueMap: Type.Record(Type.String(), Type.Unknown(), { description: 'Values by column.' }),
};
const value = Type.Optional(Type.Unknown());
const step = Type.String({ description: 'Step of the pipeline.' });
const column = Type.Optional(
  Type.String({ description: 'Omitted if the step applies to the whole row.' }),
);

const PreviewResponseDocument = Type.Object(
  {
    tableConfig: refer(CompleteTableConfig),
    schema: orNull(CompleteTableSchema),
    tableConfigs: Type.Object(tables, {
      description: 'Config and schema together, in the form of the calls that create a table.',
    }),
    sourceRows: Type.Array(Type.Object(sampledRow), { description: 'Source rows.' }),
    rows: Type.Array(
      Type.Object({
        ...sampledRow,
        sourceIndex: Type.Integer({
          description: 'Index of its source row, from 0.',
        }),
        incomplete: Type.Boolean({
          description: 'True if an invalid value was replaced by null.',
        }),
        sanitized: Type.Boolean({
          description: 'True if a value was truncated or replaced because it was too long.',
        }),
      }),
      { description: 'Rows as the table would store them.' },
    ),
    sourceFiles: Type.Array(Type.String(), {
      description: 'Files that were read, or that would be.',
    }),
    config: Type.Unsafe<object>(answerSchemaOf(config as object)),
    summary: Type.Unsafe<object>(answerSchemaOf(summary as object)),
    findings,
    explanations: Type.Array(Type.Object({ path: Type.String(), message: Type.String() }), {
      description: 'The reason for each inferred or proposed part; paths point into the response.',
    }),
    changes: Type.Array(
      Type.Object({
        step,
        kind: Type.String({
          description: 'The kind: added, changed, removed, failed, filtered or unnested.',
        }),
        column,
        count: Type.Integer({ description: 'Number of occurrences.' }),
        examples: Type.Array(
          Type.Object({
            sourceIndex: Type.Integer(),
            before: value,
            after: value,
            reason: Type.Optional(Type.String()),
          }),
        ),
      }),
      { description: 'The changes of each step by column.' },
    ),
    droppedRows: Type.Array(
      Type.Object({
        sourceIndex: Type.Integer(),
        step,
        kind: Type.String({ description: 'filtered or failed.' }),
        column,
        reason: Type.String(),
      }),
      { description: 'The first of the dropped rows, with the reasons.' },
    ),
    unrecognizedProperties,
  },
  { $id: 'PreviewResponse', description: 'The content of the table, with explanations.' },
);

/** The components of the API document for these calls. */
export const tableComponents = [
  TableConfigDocument,
  TableSchemaDocument,
  TableConfigsDocument,
  PreviewDocument,
  CompleteTableConfig,
  CompleteTableSchema,
  FindingDocument,
  CheckedSchema,
  CheckedTable,
  CheckedTables,
  PreviewResponseDocument,
] as const;

function named($id: string, schema: object): TSchema {
  return { ...schema, $id };
}

/** The part of JSON Schema that the models of tables use. */
interface ModelSchema {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, ModelSchema>>;
  readonly additionalProperties?: ModelSchema | boolean;
  readonly items?: ModelSchema;
}

/** Returns the schema of a member of a completed document, which may be null. */
function answerSchemaOf(schema: ModelSchema): object {
  const { type, enum: words } = schema;
  const complete = completeSchemaOf(schema);
  // A null in an enum breaks generators of clients.
  if (words !== undefined) return { anyOf: [complete, { type: 'null' }] };
  return { ...complete, ...(type !== undefined && { type: [type, 'null'] }) };
}

/**
 * Returns the schema of a completed document, from that of a request: every member is present, and
 * null if it has neither a value nor a default. It has no defaults itself, because one on a
 * nullable value breaks generators of clients.
 */
function completeSchemaOf({ default: _default, ...schema }: ModelSchema): object {
  const { properties, items, additionalProperties } = schema;
  return {
    ...schema,
    ...(properties !== undefined && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, member]) => [name, answerSchemaOf(member)]),
      ),
      required: Object.keys(properties),
    }),
    ...(items !== undefined && { items: answerSchemaOf(items) }),
    ...(typeof additionalProperties === 'object' && {
      additionalProperties: answerSchemaOf(additionalProperties),
    }),
  };
}
