import { invalid, type PinotType, type Typed, typed } from '../typed.ts';

/** How a call of one function is written in DuckDB's words. */
export interface FunctionRule {
  /** How many arguments it takes. */
  readonly arity: readonly [least: number, most: number];
  readonly translate: (values: readonly Typed[], call: CallInfo) => Typed;
}

/** A call, for messages. */
export interface CallInfo {
  /** The name as it was typed. */
  readonly name: string;
}

/** Rules by the names of functions, in capitals and without underscores, as Apache Pinot compares them. */
export type FunctionTable = Readonly<Record<string, FunctionRule>>;

/** The one argument that must be there. */
export function at(values: readonly Typed[], index: number): Typed {
  const value = values[index];
  if (value === undefined) throw invalid(`An argument is missing at place ${index + 1}.`);
  return value;
}

/** The text that an argument must be. @throws QUERY_INVALID */
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

/** A rule for a function whose arguments become one type, and whose value has another. */
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
