import { QuireError } from '@quire/core';
import {
  Binary,
  Bool,
  type DataType,
  Field,
  Float32,
  Float64,
  Int32,
  Int64,
  List,
  Map_,
  Struct,
  TimestampMillisecond,
  Utf8,
} from 'apache-arrow';

import { parse } from './parse-json.ts';

/** A column of an answer, with Apache Pinot's name of its type. */
export interface PinotColumn {
  readonly name: string;
  readonly pinotType: string;
  readonly field: Field;
}

/** Field metadata that marks text as the encoding of another type (`@quire/results`). */
const columnDataTypeKey = 'quire:columnDataType';
const jsonMetadata = new Map([['ARROW:extension:name', 'arrow.json']]);

/** @throws UNEXPECTED_RESPONSE when the text is not the `dataSchema` of an answer */
export function parseDataSchema(text: string): readonly PinotColumn[] {
  const { columnNames, columnDataTypes } = parse(text) as {
    readonly columnNames?: readonly string[];
    readonly columnDataTypes?: readonly string[];
  };
  if (columnNames === undefined || columnNames.length !== columnDataTypes?.length) {
    throw new QuireError(
      'UNEXPECTED_RESPONSE',
      'The answer of Apache Pinot has no names and types of its columns.',
    );
  }
  return columnNames.map((name, index) => {
    const pinotType = columnDataTypes[index] ?? 'UNKNOWN';
    return { name, pinotType, field: fieldOf(name, pinotType) };
  });
}

/**
 * Returns the column as an Arrow field. Types without a counterpart in Arrow become text: decimals
 * of any size, JSON, and types of newer releases.
 */
function fieldOf(name: string, pinotType: string): Field {
  const item = pinotType.endsWith('_ARRAY') ? pinotType.slice(0, -'_ARRAY'.length) : undefined;
  if (item === 'BIG_DECIMAL' || pinotType === 'JSON') {
    return new Field(name, new Utf8(), true, jsonMetadata);
  }
  if (item !== undefined) {
    return new Field(name, new List(new Field('item', typeOf(item), true)), true);
  }
  if (pinotType === 'BIG_DECIMAL') {
    return new Field(name, new Utf8(), true, new Map([[columnDataTypeKey, pinotType]]));
  }
  return new Field(name, typeOf(pinotType), true);
}

function typeOf(pinotType: string): DataType {
  switch (pinotType) {
    case 'INT':
      return new Int32();
    case 'LONG':
      return new Int64();
    case 'FLOAT':
      return new Float32();
    case 'DOUBLE':
      return new Float64();
    case 'BOOLEAN':
      return new Bool();
    case 'TIMESTAMP':
      return new TimestampMillisecond();
    case 'BYTES':
      return new Binary();
    case 'MAP': {
      // An answer does not specify the type of the values: each is stored as the received JSON.
      const entry = new Struct([
        new Field('key', new Utf8(), false),
        new Field('value', new Utf8(), true, jsonMetadata),
      ]);
      return new Map_(new Field('entries', entry, false) as ConstructorParameters<typeof Map_>[0]);
    }
    default:
      return new Utf8();
  }
}
