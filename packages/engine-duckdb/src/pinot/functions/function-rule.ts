import { invalid, type PinotType, type Typed, typed } from '../typed.ts';

/** The translation of a function to DuckDB's SQL. */
export interface FunctionRule {
  /** The minimum and the maximum number of arguments. */
  readonly arity: readonly [least: number, most: number];
  readonly translate: (values: readonly Typed[], call: CallInfo) => Typed;
}

/** The call, for messages. */
export interface CallInfo {
  /** The name as it was typed. */
  readonly name: string;
}

/**
 * Rules by the names of functions, in upper case and without underscores, as Apache Pinot compares
 * them.
 */
export type FunctionTable = Readonly<Record<string, FunctionRule>>;

/** Returns a required argument. */
export function at(values: readonly Typed[], index: number): Typed {
  const value = values[index];
  if (value === undefined) throw invalid(`Argument ${index + 1} is missing.`);
  return value;
}

/** Returns the text of an argument that must be a constant. @throws QUERY_INVALID */
export function constantAt(
  values: readonly Typed[],
  index: number,
  call: CallInfo,
  what: string,
): string {
  const { constant } = at(values, index);
  if (constant !== undefined) return constant;
  throw invalid(`Argument ${index + 1} of ${call.name} must be a constant: ${what}.`);
}

/** Creates the rule of a function with a result type. */
export function rule(
  arity: number | readonly [number, number],
  type: PinotType,
  write: (values: readonly Typed[], call: CallInfo) => string,
): FunctionRule {
  return {
    arity: typeof arity === 'number' ? [arity, arity] : arity,
    translate: (values, call) => typed(type, write(values, call)),
  };
}
