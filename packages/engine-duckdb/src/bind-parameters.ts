import duckdb, { type Connection, type PreparedStatement } from '@duckdb/node-bindings';
import {
  type ParameterType,
  type QueryParameter,
  type QueryParameters,
  QuireError,
} from '@quire/core';
import type { SyntaxNode } from './syntax-tree.ts';

/** The values of a query by the names of their parameters in DuckDB: lower case, or a number. */
export type BoundValues = ReadonlyMap<string, QueryParameter>;

/**
 * Matches the parameters of a parsed statement with their values.
 *
 * @throws QUERY_INVALID when a parameter has no value, a value has no parameter, or numbers have a
 *   gap
 */
export function matchParameters(statement: SyntaxNode, values: QueryParameters = []): BoundValues {
  const names = parameterNames(statement);
  if (isList(values)) return matchNumbers(names, values);
  const valuesByName = new Map(
    Object.entries(values).map(([name, value]) => [name.toLowerCase(), value]),
  );
  const known = new Set(names);
  const missing = names.find((name) => !valuesByName.has(name));
  const unknownName = [...valuesByName.keys()].find((name) => !known.has(name));
  if (missing !== undefined) {
    throw mismatch(`The query has the parameter $${missing}, but no value was given for it.`);
  }
  if (unknownName !== undefined) {
    throw mismatch(`A value was given for $${unknownName}, but the query has no such parameter.`);
  }
  if (valuesByName.size === Object.keys(values).length) return valuesByName;
  throw mismatch('Two values were given for one parameter: names are case-insensitive.');
}

/** Prepares SQL, the engine's own or the caller's, and binds the values of its parameters. */
export async function prepareWith(
  handle: Connection,
  sql: string,
  values: BoundValues,
): Promise<PreparedStatement> {
  const statement = await duckdb.prepare(handle, sql);
  try {
    for (let index = 1; index <= duckdb.nparams(statement); index += 1) {
      const value = values.get(duckdb.parameter_name(statement, index).toLowerCase());
      if (value === undefined) {
        throw new QuireError(
          'INTERNAL',
          `DuckDB has a parameter ${index} that its syntax tree does not have.`,
        );
      }
      bindValue(statement, index, value);
    }
    return statement;
  } catch (error) {
    duckdb.destroy_prepare_sync(statement);
    throw error;
  }
}

const { Type } = duckdb;

/** The types that values of a parameter should have, by the type that DuckDB infers for it. */
const inferred: readonly (readonly [ParameterType, readonly number[]])[] = [
  ['BOOLEAN', [Type.BOOLEAN]],
  ['INT', [Type.TINYINT, Type.SMALLINT, Type.INTEGER, Type.UTINYINT, Type.USMALLINT]],
  ['LONG', [Type.BIGINT, Type.UINTEGER]],
  ['BIG_DECIMAL', [Type.DECIMAL, Type.HUGEINT, Type.UHUGEINT, Type.UBIGINT]],
  ['DOUBLE', [Type.FLOAT, Type.DOUBLE]],
  ['STRING', [Type.VARCHAR, Type.ENUM, Type.UUID, Type.TIME]],
  ['DATE', [Type.DATE]],
  [
    'TIMESTAMP',
    [Type.TIMESTAMP, Type.TIMESTAMP_S, Type.TIMESTAMP_MS, Type.TIMESTAMP_NS, Type.TIMESTAMP_TZ],
  ],
  ['BYTES', [Type.BLOB]],
];

/**
 * Returns the types of a statement's parameters by their numbers, as DuckDB infers them from the
 * operands that they are compared with; `NULL` where it cannot. Undefined if parameters have names.
 */
export function parameterTypesOf(statement: PreparedStatement): ParameterType[] | undefined {
  const types: ParameterType[] = [];
  for (let index = 1; index <= duckdb.nparams(statement); index += 1) {
    const number = Number(duckdb.parameter_name(statement, index));
    if (!Number.isInteger(number)) return undefined;
    const type: number = duckdb.param_type(statement, index);
    types[number - 1] = inferred.find(([, of]) => of.includes(type))?.[0] ?? 'NULL';
  }
  return types;
}

function matchNumbers(names: readonly string[], values: readonly QueryParameter[]): BoundValues {
  const named = names.find((name) => !/^\d+$/.test(name));
  if (named !== undefined) {
    const expected = values.length === 0 ? 'a value for it' : 'values by name, not a list';
    throw mismatch(`The query has the parameter $${named}: expected ${expected}.`);
  }
  const known = new Set(names);
  const gap = names.findIndex((_, index) => !known.has(String(index + 1)));
  if (gap >= 0) {
    throw mismatch(`The query has the parameter $${names.at(-1)}, but not $${gap + 1}.`);
  }
  if (names.length === values.length) {
    return new Map(values.map((value, index) => [String(index + 1), value]));
  }
  throw mismatch(
    `The query has ${counted(names.length, 'parameter')}, but was given ${counted(values.length, 'value')}.`,
  );
}

/** Returns names in lower case, as DuckDB compares them. */
function parameterNames(statement: SyntaxNode): readonly string[] {
  const map = statement['named_param_map'];
  if (!Array.isArray(map)) return [];
  return (map as readonly { readonly key: string }[])
    .map(({ key }) => key.toLowerCase())
    .toSorted((a, b) => Number(a) - Number(b));
}

function bindValue(
  statement: PreparedStatement,
  index: number,
  { type, value }: QueryParameter,
): void {
  switch (type) {
    case 'NULL':
      return duckdb.bind_null(statement, index);
    case 'BOOLEAN':
      return duckdb.bind_boolean(statement, index, value);
    case 'INT':
      return duckdb.bind_int32(statement, index, value);
    case 'LONG':
      return duckdb.bind_int64(statement, index, BigInt(value));
    case 'DOUBLE':
      return duckdb.bind_double(statement, index, Number(value));
    case 'BIG_DECIMAL':
      return duckdb.bind_decimal(statement, index, decimalOf(value));
    case 'STRING':
      return bindText(statement, index, value);
    case 'DATE':
      return duckdb.bind_date(statement, index, { days: Date.parse(`${value}T00:00:00Z`) / dayMs });
    case 'TIMESTAMP':
      return duckdb.bind_value(statement, index, timestampOf(value));
    case 'BYTES':
      return duckdb.bind_blob(statement, index, Buffer.from(value, 'hex'));
  }
}

const dayMs = 86_400_000;

/** DuckDB takes the text as NUL-terminated, and would cut off the rest. */
function bindText(statement: PreparedStatement, index: number, text: string): void {
  if (text.includes('\0')) {
    throw mismatch(`The value of parameter ${index} contains a NUL character.`);
  }
  duckdb.bind_varchar(statement, index, text);
}

function decimalOf(text: string): duckdb.Decimal {
  const [whole = '', fraction = ''] = text.split('.');
  const digitCount = whole.replace('-', '').length + fraction.length;
  return { width: digitCount, scale: fraction.length, value: BigInt(whole + fraction) };
}

function timestampOf(text: string): duckdb.Value {
  const [seconds = '', fraction = ''] = text.replace(' ', 'T').replace('Z', '').split('.');
  const wholeMs = BigInt(Date.parse(`${seconds}Z`));
  if (fraction.length > 6) {
    return duckdb.create_timestamp_ns({
      nanos: wholeMs * 1_000_000n + BigInt(fraction.padEnd(9, '0')),
    });
  }
  return duckdb.create_timestamp({ micros: wholeMs * 1000n + BigInt(fraction.padEnd(6, '0')) });
}

function isList(values: QueryParameters): values is readonly QueryParameter[] {
  return Array.isArray(values);
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function mismatch(message: string): QuireError {
  return new QuireError('QUERY_INVALID', message);
}
