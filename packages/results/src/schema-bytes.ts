import { MessageReader, type Schema } from 'apache-arrow';
import { QuireError } from '@quire/core';
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
  const schema = new MessageReader(bytes).readSchema();
  if (schema === null || schema === undefined) {
    throw new QuireError('INTERNAL', 'The bytes contain no schema message.');
  }
  return schema;
}
