import { MessageReader, type Schema } from 'apache-arrow';
import { QuireError } from '@quire/core';
import type { ArrowField } from './arrow/arrow-input.ts';
import { storedSchemaOf } from './arrow/stored-schema.ts';
import { encodeSchemaMessage } from './arrow/encode-message.ts';

/**
 * Returns a schema as an Arrow IPC message, as it would be stored with a result. @throws
 * UNSUPPORTED_COLUMN_TYPE
 */
export function encodeSchema(schema: Schema): Uint8Array {
  return encodeSchemaMessage(storedSchemaOf(schema)).bytes;
}

/**
 * Decodes a schema.
 *
 * @throws INTERNAL when the bytes are not from `encodeSchema`
 */
export function decodeSchema(bytes: Uint8Array): Schema {
  const schema = readSchemaMessage(bytes);
  if (schema === undefined) {
    throw new QuireError('INTERNAL', 'The bytes contain no schema message.');
  }
  return schema;
}

/** Returns the schema of a message from `encodeSchemaMessage`; undefined for other messages. */
export function readSchemaMessage(bytes: Uint8Array): Schema | undefined {
  const schema = new MessageReader(bytes).readSchema() ?? undefined;
  // Earlier releases omitted empty names, which Arrow's decoder reads as null.
  return schema?.fields.every(isNamed) === false ? storedSchemaOf(schema) : schema;
}

function isNamed({ name, type }: ArrowField): boolean {
  return (name as string | null) !== null && (type.children ?? []).every(isNamed);
}
