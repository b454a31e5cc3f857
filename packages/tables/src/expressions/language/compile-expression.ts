import { isQuireError } from '@quire/core';
import { checkElementCount, checkTextLength } from '../values/text.ts';
import type { Fields, PresentValue, Value } from '../values/value.ts';
import type { Expression } from './expression.ts';
import { expressionFailed, rowError } from '../values/expression-error.ts';
import {
  double,
  type EvaluationContext,
  type FunctionDefinition,
  object,
  text,
  type Type,
} from '../functions/function-definition.ts';
import { findFunction } from '../functions/function-table.ts';

/** An expression ready to run on the fields of a row. A field that is missing is null. */
export type Evaluator = (fields: Fields) => Value;

/** Something that gives a value of a type that is known before any row is. */
interface Compiled {
  readonly type: Type<unknown>;
  /** What functions of that type work on; null where there is no value. */
  readonly run: (fields: Fields) => unknown;
  /** The value of a literal. */
  readonly constant?: PresentValue;
}

/**
 * Makes a function of a row from an expression that was parsed. Compile once, run on many rows.
 *
 * An evaluator throws EXPRESSION_FAILED, and nothing else, where the expression has no value for a
 * row.
 */
export function compileExpression(expression: Expression, context: EvaluationContext): Evaluator {
  const evaluate = boxed(compile(expression, context));
  return (fields) => {
    try {
      return evaluate(fields);
    } catch (error) {
      throw rowError(error);
    }
  };
}

function compile(expression: Expression, context: EvaluationContext): Compiled {
  if (expression.kind === 'literal') {
    const { value } = expression;
    return value === null
      ? { type: object, run: () => null }
      : { type: object, run: () => value, constant: value };
  }
  if (expression.kind === 'column') {
    const { name } = expression;
    // What every object inherits is not a field of it.
    if (name in Object.prototype) {
      return {
        type: object,
        run: (fields) => (Object.hasOwn(fields, name) ? (fields[name] ?? null) : null),
      };
    }
    return { type: object, run: (fields) => fields[name] ?? null };
  }
  const args = expression.args.map((arg) => compile(arg, context));
  const { name } = expression;
  if (name === 'and' || name === 'or') return compileChain(name === 'or', args);
  if (name === 'not') return compileNot(args);
  const definition = findFunction(name, args.length);
  if (definition === undefined) {
    throw new TypeError(`${name} was not checked before it was compiled`);
  }
  return definition.isVariadic
    ? compileVariadic(definition, args, context)
    : compileCall(definition, args, context);
}

function compileCall(
  definition: FunctionDefinition,
  args: readonly Compiled[],
  context: EvaluationContext,
): Compiled {
  const call = definition.bind(context);
  const { returns, takesNull, eachOf } = definition;
  const types = definition.takes;
  const readers = args.map((arg, index) => argumentReader(arg, types[index] ?? object));
  const finish = finisherOf(returns, context);
  const isPlain = !takesNull && eachOf === undefined;
  const run = isPlain && readers.length <= 3 ? runOfFew(call, readers, finish) : undefined;
  if (run !== undefined) return { type: returns, run };
  return {
    type: returns,
    run: (fields) => {
      const values = readers.map((reader) => reader.run(fields));
      if (!takesNull && values.includes(null)) return null;
      if (eachOf !== undefined && isEmptyList(values[eachOf])) {
        // Texts such as units and zones are looked at for each element, so for none; numbers are
        // numbers before.
        for (const [index, reader] of readers.entries()) {
          if (types[index]?.name !== 'String') converted(reader, values[index]);
        }
        return finish([]);
      }
      return finish(
        call(
          ...values.map((value, index) => {
            const reader = readers[index];
            return value === null || reader === undefined
              ? noValue(types[index])
              : converted(reader, value);
          }),
        ),
      );
    },
  };
}

/**
 * A call of one to three arguments, which most have, without a list of them; undefined for others.
 * Whether one is null is known before any is converted. Literals, which are most arguments but the
 * first, are neither read nor converted again.
 */
function runOfFew(
  call: (...args: readonly unknown[]) => unknown,
  readers: readonly ArgumentReader[],
  finish: (raw: unknown) => unknown,
): Compiled['run'] | undefined {
  const [first, second, third] = readers;
  if (first === undefined) return undefined;
  if (second === undefined) {
    return (fields) => {
      const only = first.run(fields);
      return only === null ? null : finish(call(converted(first, only)));
    };
  }
  const [isSecondKnown, isThirdKnown] = [
    second.constant !== undefined,
    third?.constant !== undefined,
  ];
  if (third === undefined) {
    if (isSecondKnown) {
      return (fields) => {
        const left = first.run(fields);
        return left === null ? null : finish(call(converted(first, left), second.constant));
      };
    }
    return (fields) => {
      const [left, right] = [first.run(fields), second.run(fields)];
      return left === null || right === null
        ? null
        : finish(call(converted(first, left), converted(second, right)));
    };
  }
  if (isSecondKnown && isThirdKnown) {
    return (fields) => {
      const a = first.run(fields);
      return a === null ? null : finish(call(converted(first, a), second.constant, third.constant));
    };
  }
  return (fields) => {
    const [a, b, c] = [first.run(fields), second.run(fields), third.run(fields)];
    if (a === null || b === null || c === null) return null;
    return finish(call(converted(first, a), converted(second, b), converted(third, c)));
  };
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

/** Null where a function takes it: a plain number or Boolean of Java cannot be. */
function noValue(type: Type<unknown> | undefined): null {
  if (
    type?.name === 'int' ||
    type?.name === 'long' ||
    type?.name === 'double' ||
    type?.name === 'boolean'
  ) {
    throw expressionFailed(`An argument of type ${type.name} has no value.`);
  }
  return null;
}

function compileVariadic(
  definition: FunctionDefinition,
  args: readonly Compiled[],
  context: EvaluationContext,
): Compiled {
  const call = definition.bind(context);
  const evaluators = args.map(boxed);
  const finish = finisherOf(definition.returns, context);
  return {
    type: definition.returns,
    run: (fields) => {
      const values = evaluators.map((evaluate) => evaluate(fields));
      return !definition.takesNull && values.includes(null) ? null : finish(call(...values));
    },
  };
}

/** AND and OR go from left to right, and no farther than they must. */
function compileChain(decisive: boolean, args: readonly Compiled[]): Compiled {
  const evaluators = args.map(boxed);
  return {
    type: object,
    run: (fields) => {
      let hasNull = false;
      for (const evaluate of evaluators) {
        const value = truthOf(evaluate(fields));
        if (value === decisive) return decisive;
        if (value === null) hasNull = true;
      }
      return hasNull ? null : !decisive;
    },
  };
}

function compileNot(args: readonly Compiled[]): Compiled {
  const [evaluate = () => null] = args.map(boxed);
  return {
    type: object,
    run: (fields) => {
      const value = truthOf(evaluate(fields));
      return value === null ? null : !value;
    },
  };
}

function truthOf(value: Value): boolean | null {
  if (value === null || typeof value === 'boolean') return value;
  throw expressionFailed('AND, OR and NOT take Booleans only: compare the value with something.');
}

/** An argument, and how it becomes one of the type of its place. */
interface ArgumentReader {
  readonly run: (fields: Fields) => unknown;
  /** Undefined where it is of that type already. */
  readonly convert: ((value: unknown) => unknown) | undefined;
  /** What `typeof` says of values that are of that type already: most are. */
  readonly fitting: string | undefined;
  /** The literal, converted. */
  readonly constant: unknown;
}

function argumentReader(arg: Compiled, type: Type<unknown>): ArgumentReader {
  const asItIs = { convert: undefined, fitting: undefined, constant: undefined };
  if (arg.type === type && type !== object) return { ...asItIs, run: arg.run };
  const { constant } = arg;
  const known = constant === undefined ? undefined : convertOnce(constant, type);
  if (known !== undefined) {
    return { ...asItIs, run: () => constant, convert: () => known.value, constant: known.value };
  }
  const run = boxed(arg);
  if (type === object) return { ...asItIs, run };
  const fitting = type === text ? 'string' : type === double ? 'number' : undefined;
  return { ...asItIs, run, convert: (value) => type.read(value as PresentValue), fitting };
}

function converted({ convert, fitting }: ArgumentReader, value: unknown): unknown {
  return convert === undefined || typeof value === fitting ? value : convert(value);
}

/**
 * What becomes of a literal for all rows; undefined where it cannot be converted, which each row
 * that needs it then tells.
 */
function convertOnce(
  constant: PresentValue,
  type: Type<unknown>,
): { readonly value: unknown } | undefined {
  try {
    return { value: type === object ? constant : type.read(constant) };
  } catch (error) {
    if (!isQuireError(error, 'EXPRESSION_FAILED')) throw error;
    return undefined;
  }
}

function boxed({ type, run }: Compiled): Evaluator {
  // What an Object is made of are values already.
  if (type.name === 'Object' || type.name === 'String') return run as Evaluator;
  return (fields) => {
    const raw = run(fields);
    return raw === null ? null : type.write(raw);
  };
}

/**
 * Everything of no fixed size that a function makes is checked, so that nested calls cannot double
 * it without end.
 */
function finisherOf(
  { name }: Type<unknown>,
  { budget }: EvaluationContext,
): (raw: unknown) => unknown {
  if (name !== 'String' && name !== 'Object' && name !== 'Map' && !name.endsWith('[]')) {
    return (raw) => raw ?? null;
  }
  return (raw) => {
    if (typeof raw === 'string') checkTextLength(raw.length);
    else if (Array.isArray(raw)) checkElementCount(raw.length);
    // What lists are made of before they are values counts as much as values do.
    budget?.takeValue((raw ?? null) as Value);
    return raw ?? null;
  };
}
