import { type DataType, type Field, Type } from 'apache-arrow';
import { QuireError } from '@quire/core';
import { quoteIdentifier } from './column-type.ts';

/* The reverse of `columnTypeOf`: the DuckDB type that holds the values of a stored column, at any
   depth. */

/** The type parameters that are read. */
interface TypeParameters {
  readonly isSigned: boolean;
  readonly bitWidth: number;
  readonly precision: number;
  readonly scale: number;
  readonly unit: number;
  readonly timezone?: string | null;
  readonly byteWidth: number;
  readonly listSize: number;
}

const integers: Readonly<Record<number, string>> = {
  8: 'TINYINT',
  16: 'SMALLINT',
  32: 'INTEGER',
  64: 'BIGINT',
};
/** The types by Arrow's units: seconds, milliseconds, microseconds, nanoseconds. */
const timestamps = ['TIMESTAMP_S', 'TIMESTAMP_MS', 'TIMESTAMP', 'TIMESTAMP_NS'];
const [microseconds, nanoseconds] = [2, 3];

/**
 * Returns the type, in DuckDB's SQL, that holds exactly the values of a stored column.
 *
 * @throws UNSUPPORTED_COLUMN_TYPE when there is none: results of other engines may have such
 *   columns
 */
export function sqlTypeOfStored(field: Field<DataType>, column = field.name): string {
  const { type } = field;
  const parameters = type as unknown as TypeParameters;
  const child = (index = 0): Field<DataType> =>
    (type.children as readonly Field<DataType>[])[index] ?? refuse(type, column);
  const { unit } = parameters;
  switch (type.typeId) {
    case Type.Null:
      return 'VARCHAR';
    case Type.Bool:
      return 'BOOLEAN';
    case Type.Int:
      return `${parameters.isSigned ? '' : 'U'}${integers[parameters.bitWidth] ?? refuse(type, column)}`;
    case Type.Float:
      if (parameters.precision === 0) return refuse(type, column);
      return parameters.precision === 1 ? 'FLOAT' : 'DOUBLE';
    case Type.Utf8:
      return extensionOf(field) === 'arrow.json' ? 'JSON' : 'VARCHAR';
    case Type.Binary:
      return 'BLOB';
    case Type.FixedSizeBinary:
      return extensionOf(field) === 'arrow.uuid' ? 'UUID' : refuse(type, column);
    case Type.Decimal:
      return decimalType(parameters) ?? refuse(type, column);
    case Type.Date:
      return unit === 0 ? 'DATE' : refuse(type, column);
    case Type.Time:
      if (unit === microseconds) return 'TIME';
      return unit === nanoseconds ? 'TIME_NS' : refuse(type, column);
    case Type.Timestamp:
      if ((parameters.timezone ?? '') === '') return timestamps[unit] ?? refuse(type, column);
      return unit === microseconds ? 'TIMESTAMPTZ' : refuse(type, column);
    case Type.List:
      return `${sqlTypeOfStored(child(), column)}[]`;
    case Type.FixedSizeList:
      return `${sqlTypeOfStored(child(), column)}[${parameters.listSize}]`;
    case Type.Map: {
      const [key, value] = child().type.children as readonly Field<DataType>[];
      if (key === undefined || value === undefined) return refuse(type, column);
      return `MAP(${sqlTypeOfStored(key, column)}, ${sqlTypeOfStored(value, column)})`;
    }
    case Type.Struct: {
      const members = type.children as readonly Field<DataType>[];
      if (members.length === 0) return refuse(type, column);
      const sqlMembers = members.map(
        (member, index) =>
          `${quoteIdentifier(member.name || `element${index + 1}`)} ${sqlTypeOfStored(member, column)}`,
      );
      return `STRUCT(${sqlMembers.join(', ')})`;
    }
    default:
      return refuse(type, column);
  }
}

/**
 * Reports whether the text of a column is digits, because Arrow has no type for integers of that
 * size.
 */
export function isDigits({ metadata }: Field<DataType>): boolean {
  return metadata.get('quire:columnDataType') === 'BIG_DECIMAL';
}

/** HUGEINT is stored as a decimal of 38 digits without a fraction, and may have one digit more. */
function decimalType({ precision, scale, bitWidth }: TypeParameters): string | undefined {
  if (bitWidth !== 128 || precision > 38 || scale < 0) return undefined;
  return precision === 38 && scale === 0 ? 'HUGEINT' : `DECIMAL(${precision},${scale})`;
}

function extensionOf({ metadata }: Field<DataType>): string | undefined {
  return metadata.get('ARROW:extension:name');
}

function refuse(type: DataType, column: string): never {
  const message = `Column '${column}' of the result has type ${Type[type.typeId]}, which a query over results cannot read.`;
  throw new QuireError('UNSUPPORTED_COLUMN_TYPE', message);
}
