import type { Clock } from '@quire/core';
import type { SourceRow, SourceValue } from '../row.ts';
import type { Parameter } from './parameter.ts';

/** What an expression may know besides the row. */
export interface EvaluationContext {
  readonly clock: Clock;
  /** Told of every value that a function makes, before it is used; what it throws ends the evaluation. */
  readonly budget?: { takeValue(value: SourceValue): void } | undefined;
}

/** An expression ready to run on the fields of a row. A field that is missing is null. */
export type Evaluator = (fields: SourceRow) => SourceValue;

type Values<Parameters extends readonly Parameter<unknown>[]> = {
  [Index in keyof Parameters]: Parameters[Index] extends Parameter<infer T> ? T : never;
};

type AnyParameters = readonly Parameter<unknown>[];

type EvaluateFunction<Required extends AnyParameters, Optional extends AnyParameters, Rest> = (
  ...args: [...Values<Required>, ...Partial<Values<Optional>>, ...Rest[]]
) => SourceValue;

interface Described {
  readonly name: string;
  /** Other names, where they are more than another case or underscores. */
  readonly aliases?: readonly string[];
  /** The type of what it returns, as the documentation shows it. */
  readonly returns: string;
  /** One sentence for the documentation. */
  readonly does: string;
}

interface ScalarSpec<Required extends AnyParameters, Optional extends AnyParameters, Rest> extends Described {
  readonly takes: Required;
  readonly optionally?: Optional;
  /** The type of any number of further arguments. */
  readonly rest?: Parameter<Rest>;
  readonly evaluate: EvaluateFunction<Required, Optional, Rest>;
}

interface ClockedSpec<Required extends AnyParameters> extends Described {
  readonly takes: Required;
  readonly bind: (context: EvaluationContext) => EvaluateFunction<Required, readonly [], never>;
}

interface FormSpec extends Described {
  /** Its arguments, as the documentation shows them. */
  readonly shows: string;
  readonly argCountMin: number;
  readonly argCountMax: number;
  readonly combine: (args: readonly Evaluator[]) => Evaluator;
}

/** A function whose arguments were read by its parameters: `scalar` and `clocked` see to it that the types are theirs. */
type Untyped = (...args: readonly unknown[]) => SourceValue;

/** A row of the table of functions. */
export interface FunctionDefinition extends Described {
  readonly kind: 'scalar' | 'form';
  /** False where the same arguments may give another value later. */
  readonly isDeterministic: boolean;
  /** Arguments as the documentation shows them. */
  readonly shows: string;
  readonly argCountMin: number;
  readonly argCountMax: number;
  /** The parameter that an argument is read by; undefined in forms, which read none. */
  parameterAt(index: number): Parameter<unknown> | undefined;
  /** The function over arguments that were read. */
  bind(context: EvaluationContext): Untyped;
  /** The function over evaluators, which decides itself which of them run. */
  combine(args: readonly Evaluator[]): Evaluator;
}

/** A function of its arguments' values alone. */
export function scalar<const Required extends AnyParameters, const Optional extends AnyParameters = readonly [], Rest = never>(
  spec: ScalarSpec<Required, Optional, Rest>,
): FunctionDefinition {
  const { evaluate, ...described } = spec;
  return define(described, spec.takes, spec.optionally ?? [], spec.rest, true, () => evaluate as Untyped);
}

/** A function that also looks at the clock. */
export function clocked<const Required extends AnyParameters>(spec: ClockedSpec<Required>): FunctionDefinition {
  const { bind, ...described } = spec;
  return define(described, spec.takes, [], undefined, false, (context) => bind(context) as Untyped);
}

/** A function that evaluates only those of its arguments that it needs. */
export function form(spec: FormSpec): FunctionDefinition {
  return {
    ...spec,
    kind: 'form',
    isDeterministic: true,
    parameterAt: () => undefined,
    bind: () => {
      throw new TypeError(`${spec.name} is combined, not bound`);
    },
  };
}

function define(
  described: Described,
  takes: AnyParameters,
  optionally: AnyParameters,
  rest: Parameter<unknown> | undefined,
  isDeterministic: boolean,
  bind: (context: EvaluationContext) => Untyped,
): FunctionDefinition {
  const places = [...takes, ...optionally];
  const { name, aliases = [], returns, does } = described;
  return {
    name,
    aliases,
    returns,
    does,
    kind: 'scalar',
    isDeterministic,
    shows: showParameters(takes, optionally, rest),
    argCountMin: takes.length,
    argCountMax: rest === undefined ? places.length : Number.POSITIVE_INFINITY,
    parameterAt: (index) => places[index] ?? rest,
    bind,
    combine: () => {
      throw new TypeError(`${name} is bound, not combined`);
    },
  };
}

function showParameters(takes: AnyParameters, optionally: AnyParameters, rest: Parameter<unknown> | undefined): string {
  const shown = takes.map(({ type }) => type).join(', ');
  const more = optionally.map(({ type }) => `[, ${type}`).join('') + ']'.repeat(optionally.length);
  const withMore = shown === '' ? more.replace('[, ', '[') : shown + more;
  if (rest === undefined) return withMore;
  return withMore === '' ? `${rest.type}…` : `${withMore}, ${rest.type}…`;
}
