/** What of JSON Schema the models of tables are made of. */
interface ModelSchema {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, ModelSchema>>;
  readonly additionalProperties?: ModelSchema | boolean;
  readonly items?: ModelSchema;
}

/**
 * The schema of a completed document, from that of what somebody may write: every member is there, and null where it has
 * neither a value nor a default.
 */
export function answerSchemaOf(schema: ModelSchema): object {
  const { type, properties, items, additionalProperties, enum: words } = schema;
  return {
    ...schema,
    ...(type !== undefined && { type: [type, 'null'] }),
    ...(words !== undefined && { enum: [...words, null] }),
    ...(properties !== undefined && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, member]) => [name, answerSchemaOf(member)])),
      required: Object.keys(properties),
    }),
    ...(items !== undefined && { items: answerSchemaOf(items) }),
    ...(typeof additionalProperties === 'object' && { additionalProperties: answerSchemaOf(additionalProperties) }),
  };
}
