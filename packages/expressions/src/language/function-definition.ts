import type { Clock } from '@quire/core';
import type { Value } from '../values/value.ts';
import type { Type, TypeName } from './function-type.ts';

/** What an expression may know besides the row. */
export interface EvaluationContext {
  readonly clock: Clock;
  /** Told of every text, list and map that a function makes, before it is used; what it throws ends the evaluation. */
  readonly budget?: { takeValue(value: Value): void } | undefined;
}

type AnyTypes = readonly Type<unknown>[];

type Raw<Types extends AnyTypes> = { [Index in keyof Types]: Types[Index] extends Type<infer T> ? T : never };

type OrNull<Types extends readonly unknown[]> = { [Index in keyof Types]: Types[Index] | null };

/** A function over what its types made of the arguments; null is its result where there is none. */
type Call = (...args: readonly never[]) => unknown;

/** One signature of a function: a row of the table of its family. */
export interface FunctionDefinition {
  /** The documented name, then the others. */
  readonly names: readonly [string, ...string[]];
  readonly takes: readonly Type<unknown>[];
  readonly returns: Type<unknown>;
  /** When true any number of arguments is taken, each by the only type in `takes`. */
  readonly isVariadic: boolean;
  /** When false, a null argument makes the call null. */
  readonly takesNull: boolean;
  /** False where the same arguments may give another value later. */
  readonly isDeterministic: boolean;
  /** One sentence. */
  readonly does: string;
  /** A call whose value the documentation shows. */
  readonly example?: string;
  readonly bind: (context: EvaluationContext) => (...args: readonly unknown[]) => unknown;
}

interface Options {
  readonly takesNull?: boolean;
  readonly isVariadic?: boolean;
  readonly isDeterministic?: boolean;
}

/** A function of its arguments alone. `names` are separated by blanks. */
export function define<const Types extends AnyTypes, Result>(
  names: string,
  takes: Types,
  returns: Type<Result>,
  call: (...args: Raw<Types>) => Result | null,
  does: string,
  example?: string,
): FunctionDefinition {
  return definition(names, takes, returns, () => call, does, example, {});
}

/** A function that is also called where arguments are null. */
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

/** A function of any number of values, null among them. */
export function defineVariadic(
  names: string,
  type: Type<Value>,
  takesNull: boolean,
  call: (...args: readonly Value[]) => Value,
  does: string,
  example?: string,
): FunctionDefinition {
  return definition(names, [type], type, () => call, does, example, { isVariadic: true, takesNull });
}

/** A function that also looks at the clock. */
export function defineClocked<const Types extends AnyTypes, Result>(
  names: string,
  takes: Types,
  returns: Type<Result>,
  bind: (context: EvaluationContext) => (...args: Raw<Types>) => Result | null,
  does: string,
  example?: string,
  isDeterministic = true,
): FunctionDefinition {
  return definition(names, takes, returns, (context) => bind(context), does, example, { isDeterministic });
}

/** The function of each element of a list that is one of its arguments, whose names end in MV. */
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
    bind: (context) => {
      const call = single.bind(context);
      return (...args) => (args[index] as readonly unknown[]).map((each) => call(...args.with(index, each)));
    },
  };
}

/** How a function is called, as the documentation shows it. */
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
  { takesNull = false, isVariadic = false, isDeterministic = true }: Options,
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
