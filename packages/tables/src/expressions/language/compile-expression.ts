import { isQuireError } from '@quire/core';
import { checkElementCount, checkTextLength } from '../values/text.ts';
import type { Fields, PresentValue, Value } from '../values/value.ts';
import type { Expression } from './expression.ts';
import { expressionFailed, rowError } from '../values/expression-error.ts';
import {
  asIs,
  double,
  type EvaluationContext,
  type FunctionDefinition,
  object,
  text,
  type Type,
} from '../functions/function-definition.ts';
import { findFunction } from '../functions/function-table.ts';

/** An expression that is ready to run on the fields of a row. A missing field is null. */
export type Evaluator = (fields: Fields) => Value;

/** A compiled expression whose type is known in advance. */
interface Compiled {
  readonly type: Type<unknown>;
  /** Returns the value in the representation of its type; null if there is no value. */
  readonly run: (fields: Fields) => unknown;
  /** The value of a literal. */
  readonly constant?: PresentValue;
  /** The text whose UTF-8 bytes it returns. */
  readonly utf8Of?: Compiled;
}

/**
 * Compiles a parsed expression to a function of a row. Compile once, run on many rows.
 *
 * An evaluator throws EXPRESSION_FAILED, and nothing else, if the expression has no value for a
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
    // Inherited members of an object are not fields.
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
  if (definition.isVariadic) return compileVariadic(definition, args, context);
  const [only] = args;
  if (definition.names[0] === 'toUtf8' && only !== undefined) {
    return { ...compileCall(definition, args, context), utf8Of: only };
  }
  const { ofUtf8 } = definition;
  if (ofUtf8 !== undefined && only?.utf8Of !== undefined) {
    const ofText = { ...definition, takes: [text], bind: () => ofUtf8 };
    return compileCall(ofText, [only.utf8Of], context);
  }
  return compileCall(definition, args, context);
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
        // Text arguments such as units and zones are parsed per element, so not for an empty list;
        // numbers are converted before.
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
 * Calls a function of one to three arguments, like most functions, without an array of arguments;
 * returns undefined for other functions. All arguments are checked for null before any is
 * converted. Literals are neither evaluated nor converted again.
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

/** Returns null for an argument that may be null; a primitive number or Boolean of Java may not. */
function noValue(type: Type<unknown> | undefined): null {
  if (
    type?.name === 'int' ||
    type?.name === 'long' ||
    type?.name === 'double' ||
    type?.name === 'boolean'
  ) {
    throw expressionFailed(`An argument of type ${type.name} is null.`);
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
  const { returns, takesNull } = definition;
  const [first, second, third] = evaluators;
  // Most have two or three, for which a call without lists takes a third of the time.
  if (evaluators.length === 2 && first !== undefined && second !== undefined) {
    return {
      type: returns,
      run: (fields) => {
        const [a, b] = [first(fields), second(fields)];
        return !takesNull && (a === null || b === null) ? null : finish(call(a, b));
      },
    };
  }
  if (
    evaluators.length === 3 &&
    first !== undefined &&
    second !== undefined &&
    third !== undefined
  ) {
    return {
      type: returns,
      run: (fields) => {
        const [a, b, c] = [first(fields), second(fields), third(fields)];
        const isMissing = !takesNull && (a === null || b === null || c === null);
        return isMissing ? null : finish(call(a, b, c));
      },
    };
  }
  return {
    type: returns,
    run: (fields) => {
      const values = evaluators.map((evaluate) => evaluate(fields));
      return !takesNull && values.includes(null) ? null : finish(call(...values));
    },
  };
}

/** Evaluates AND and OR from left to right, only as far as needed. */
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
  throw expressionFailed('AND, OR and NOT accept Booleans only: compare the value, as in a = 1.');
}

/** An argument, and its conversion to the type of its parameter. */
interface ArgumentReader {
  readonly run: (fields: Fields) => unknown;
  /** Undefined if the argument already has that type. */
  readonly convert: ((value: unknown) => unknown) | undefined;
  /** The `typeof` of values that already have that type, as most do. */
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
  const isOfList = type.name.endsWith('[]') && type.name !== 'byte[]';
  const convert =
    arg.type.name === 'String[]' && !isOfList
      ? (value: unknown) => type.read(firstText(value as PresentValue))
      : (value: unknown) => type.read(value as PresentValue);
  return { ...asItIs, run, convert, fitting };
}

/** Returns the first of the texts that a function returned, which counts as their single value. */
function firstText(value: PresentValue): PresentValue {
  const [first] = Array.isArray(value) ? (value as readonly Value[]) : [];
  return typeof first === 'string' ? first : value;
}

function converted({ convert, fitting }: ArgumentReader, value: unknown): unknown {
  return convert === undefined || typeof value === fitting ? value : convert(value);
}

/**
 * Converts a literal once for all rows; undefined if it cannot be converted, which is then reported
 * for each row that needs it.
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
  if (type.name === 'Object' || type.write === asIs) return run as Evaluator;
  return (fields) => {
    const raw = run(fields);
    return raw === null ? null : type.write(raw);
  };
}

/** Checks every result without a fixed size, so that nested calls cannot double it without end. */
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
    // Lists whose values are not converted yet count as much as converted ones.
    budget?.takeValue((raw ?? null) as Value);
    return raw ?? null;
  };
}
