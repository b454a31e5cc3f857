import { MessageReader, type Schema } from 'apache-arrow';
import { QuireError } from '@quire/core';
import { storedSchemaOf } from './arrow/stored-schema.ts';
import { encodeSchemaMessage } from './arrow/encode-message.ts';

/**
 * A schema as an Arrow IPC message, as results would be stored with it. @throws
 * UNSUPPORTED_COLUMN_TYPE
 */
export function encodeSchema(schema: Schema): Uint8Array {
  return encodeSchemaMessage(storedSchemaOf(schema)).bytes;
}

/** @throws INTERNAL when the bytes are not what `encodeSchema` made */
export function decodeSchema(bytes: Uint8Array): Schema {
  const schema = new MessageReader(bytes).readSchema();
  if (schema === null || schema === undefined) {
    throw new QuireError('INTERNAL', 'The bytes hold no schema message.');
  }
  return schema;
}
