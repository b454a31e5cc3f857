import type { Clock } from '@quire/core';
import { expressionFailed } from '../values/expression-error.ts';
import {
  saturatedLong,
  toBoolean,
  toBytes,
  toDecimal,
  toDouble,
  toElementText,
  toFloat,
  toInt,
  toList,
  toLong,
  toMap,
  toText,
  toTimestamp,
} from '../values/convert.ts';
import {
  type Decimal,
  doubleValue,
  Float,
  longValue,
  type PresentValue,
  type Timestamp,
  type Value,
} from '../values/value.ts';

/** The context of an evaluation besides the row. */
export interface EvaluationContext {
  readonly clock: Clock;
  /**
   * Called with every text, list and map that a function creates, before it is used; an exception
   * ends the evaluation.
   */
  readonly budget?: { takeValue(value: Value): void } | undefined;
}

type AnyTypes = readonly Type<unknown>[];

type Raw<Types extends AnyTypes> = {
  [Index in keyof Types]: Types[Index] extends Type<infer T> ? T : never;
};

type OrNull<Types extends readonly unknown[]> = { [Index in keyof Types]: Types[Index] | null };

/** A function of the converted arguments; it returns null if it has no result. */
type Call = (...args: readonly never[]) => unknown;

/** One signature of a function: a row of the table of its family. */
export interface FunctionDefinition {
  /** The documented name, then the aliases. */
  readonly names: readonly [string, ...string[]];
  readonly takes: readonly Type<unknown>[];
  readonly returns: Type<unknown>;
  /** True if the function accepts any number of arguments, all of the only type in `takes`. */
  readonly isVariadic: boolean;
  /** If false, a null argument makes the result null. */
  readonly takesNull: boolean;
  /** False if the same arguments may give another result later. */
  readonly isDeterministic: boolean;
  /** The description, one sentence. */
  readonly does: string;
  /** A call whose value the documentation shows. */
  readonly example?: string;
  /**
   * The index of the list to whose elements the function is applied: if it is empty, text arguments
   * are not parsed.
   */
  readonly eachOf?: number;
  readonly bind: (context: EvaluationContext) => (...args: readonly unknown[]) => unknown;
  /**
   * For a function of bytes alone: the same of a text's UTF-8 bytes, without creating these.
   * Expressions rarely have other bytes than `toUtf8` of a text.
   */
  readonly ofUtf8?: (...args: readonly unknown[]) => unknown;
}

/** The traits that few functions have. */
type Traits = Partial<Pick<FunctionDefinition, 'takesNull' | 'isVariadic' | 'isDeterministic'>>;

/** Defines a function of its arguments alone. `names` are separated by spaces. */
export function define<const Types extends AnyTypes, Result>(
  names: string,
  takes: Types,
  returns: Type<Result>,
  call: (...args: Raw<Types>) => Result | null,
  does: string,
  example?: string,
): FunctionDefinition {
  return definition(names, takes, returns, () => call, does, example);
}

/** Adds to a function of bytes the same function of a text's UTF-8 bytes. */
export function withUtf8(
  definition: FunctionDefinition,
  ofUtf8: (text: string) => unknown,
): FunctionDefinition {
  return { ...definition, ofUtf8: ofUtf8 as NonNullable<FunctionDefinition['ofUtf8']> };
}

/** Defines a function that is also called with null arguments. */
export function defineNullable<const Types extends AnyTypes, Result>(
  names: string,
  takes: Types,
  returns: Type<Result>,
  call: (...args: OrNull<Raw<Types>>) => Result | null,
  does: string,
  example?: string,
): FunctionDefinition {
  return definition(names, takes, returns, () => call, does, example, { takesNull: true });
}

/** Defines a function of any number of values, which may include null. */
export function defineVariadic(
  names: string,
  type: Type<Value>,
  takesNull: boolean,
  call: (...args: readonly Value[]) => Value,
  does: string,
  example?: string,
): FunctionDefinition {
  return definition(names, [type], type, () => call, does, example, {
    isVariadic: true,
    takesNull,
  });
}

/** Defines a function that also reads the clock. */
export function defineClocked<const Types extends AnyTypes, Result>(
  names: string,
  takes: Types,
  returns: Type<Result>,
  bind: (context: EvaluationContext) => (...args: Raw<Types>) => Result | null,
  does: string,
  example?: string,
  isDeterministic = true,
): FunctionDefinition {
  return definition(names, takes, returns, bind, does, example, { isDeterministic });
}

/**
 * Derives the function that applies another to each element of a list argument. Its names end in
 * MV.
 */
export function elementwise(
  single: FunctionDefinition,
  index: number,
  [list, results]: readonly [Type<unknown>, Type<unknown>],
  suffix = 'MV',
): FunctionDefinition {
  return {
    names: single.names.map((name) => name + suffix) as [string, ...string[]],
    takes: single.takes.map((type, at) => (at === index ? list : type)),
    returns: results.name === 'Object' ? single.returns : results,
    isVariadic: false,
    takesNull: false,
    isDeterministic: single.isDeterministic,
    does: `${single.does.replace(/\.$/, '')}, of each element.`,
    eachOf: index,
    bind: (context) => {
      const call = single.bind(context);
      return (...args) =>
        (args[index] as readonly unknown[]).map((each) => call(...args.with(index, each)));
    },
  };
}

/** Returns the signature of a function as the documentation shows it. */
export function signatureOf({ names, takes, isVariadic }: FunctionDefinition): string {
  const types = takes.map(({ name }: { readonly name: TypeName }) => name).join(', ');
  return `${names[0]}(${types}${isVariadic ? '…' : ''})`;
}

function definition(
  names: string,
  takes: AnyTypes,
  returns: Type<unknown>,
  bind: (context: EvaluationContext) => Call,
  does: string,
  example: string | undefined,
  { takesNull = false, isVariadic = false, isDeterministic = true }: Traits = {},
): FunctionDefinition {
  return {
    names: names.split(' ') as [string, ...string[]],
    takes,
    returns,
    isVariadic,
    takesNull,
    isDeterministic,
    does,
    ...(example === undefined ? {} : { example }),
    bind: bind as FunctionDefinition['bind'],
  };
}

/** The types in Apache Pinot's signatures, by their names there. */
export type TypeName =
  | 'int'
  | 'long'
  | 'float'
  | 'double'
  | 'BigDecimal'
  | 'boolean'
  | 'Timestamp'
  | 'String'
  | 'byte[]'
  | 'Map'
  | 'Object'
  | `${'int' | 'long' | 'float' | 'double' | 'String' | 'Timestamp'}[]`;

/**
 * A type of arguments and results: the representation that functions work on, and its conversion
 * from and to values.
 */
export interface Type<T> {
  readonly name: TypeName;
  /** @throws EXPRESSION_FAILED when the value cannot be converted to this type */
  read(value: PresentValue): T;
  write(raw: T): Value;
}

/** Writes a value that is represented by itself. */
export const asIs = <T extends Value>(raw: T): Value => raw;

/** A 32-bit integer. */
export const int: Type<number> = { name: 'int', read: toInt, write: asIs };
/** A 64-bit integer, exact. */
export const long: Type<bigint> = { name: 'long', read: toLong, write: longValue };
/** A 64-bit integer that is an instant or a span, as a JavaScript number. */
export const millis: Type<number> = {
  name: 'long',
  read: (value) =>
    typeof value === 'number' && Number.isSafeInteger(value) ? value : Number(toLong(value)),
  // Numbers beyond 32 bits are longs. Those beyond 64 bits are clamped, as in
  // java.util.concurrent.TimeUnit.
  write: (raw) => (Number.isSafeInteger(raw) && (raw | 0) !== raw ? raw : saturatedLong(raw)),
};
export const double: Type<number> = { name: 'double', read: toDouble, write: doubleValue };
export const float: Type<number> = { name: 'float', read: toFloat, write: (raw) => new Float(raw) };
export const decimal: Type<Decimal> = { name: 'BigDecimal', read: toDecimal, write: asIs };
export const boolean: Type<boolean> = { name: 'boolean', read: toBoolean, write: asIs };
export const timestamp: Type<Timestamp> = { name: 'Timestamp', read: toTimestamp, write: asIs };
export const text: Type<string> = { name: 'String', read: toText, write: asIs };
export const bytes: Type<Uint8Array> = { name: 'byte[]', read: toBytes, write: asIs };
export const map: Type<Readonly<Record<string, Value>>> = { name: 'Map', read: toMap, write: asIs };
/** Any value, unchanged. */
export const object: Type<Value> = { name: 'Object', read: (value) => value, write: asIs };

export const ints = listOf(int);
export const longs = listOf(long);
export const instants = listOf(millis);
export const floats = listOf(float);
export const doubles = listOf(double);
export const texts: Type<readonly string[]> = {
  name: 'String[]',
  read: (value) => toList(value, Array.isArray(value) ? toElementText : toText),
  write: asIs,
};
/** Timestamps; no other value converts to them. */
export const timestamps: Type<readonly Timestamp[]> = {
  name: 'Timestamp[]',
  read: () => {
    throw expressionFailed('Expected a list of timestamps, as toTimestampMV returns it.');
  },
  write: asIs,
};

function listOf<T>(element: Type<T>): Type<readonly T[]> {
  return {
    name: `${element.name as 'int'}[]`,
    read: (value) => toList(value, (each) => element.read(each)),
    write: (raw) => raw.map((each) => element.write(each)),
  };
}
