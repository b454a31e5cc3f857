import { isQuireError } from '@quire/core';
import { checkElementCount, checkTextLength } from '../values/text.ts';
import type { Fields, PresentValue, Value } from '../values/value.ts';
import type { Expression } from './expression.ts';
import { expressionFailed } from '../values/expression-error.ts';
import { type EvaluationContext, type FunctionDefinition, object, type Type } from '../functions/function-definition.ts';
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
 * An evaluator throws EXPRESSION_FAILED, and nothing else, where the expression has no value for a row.
 */
export function compileExpression(expression: Expression, context: EvaluationContext): Evaluator {
  return boxed(compile(expression, context));
}

function compile(expression: Expression, context: EvaluationContext): Compiled {
  if (expression.kind === 'literal') {
    const { value } = expression;
    return value === null ? { type: object, run: () => null } : { type: object, run: () => value, constant: value };
  }
  if (expression.kind === 'column') {
    const { name } = expression;
    // What every object inherits is not a field of it.
    if (name in Object.prototype) {
      return { type: object, run: (fields) => (Object.hasOwn(fields, name) ? (fields[name] ?? null) : null) };
    }
    return { type: object, run: (fields) => fields[name] ?? null };
  }
  const args = expression.args.map((arg) => compile(arg, context));
  const { name } = expression;
  if (name === 'and' || name === 'or') return compileChain(name === 'or', args);
  if (name === 'not') return compileNot(args);
  const definition = findFunction(name, args.length);
  if (definition === undefined) throw new TypeError(`${name} was not checked before it was compiled`);
  return definition.isVariadic ? compileVariadic(definition, args, context) : compileCall(definition, args, context);
}

function compileCall(definition: FunctionDefinition, args: readonly Compiled[], context: EvaluationContext): Compiled {
  const call = definition.bind(context);
  const { returns, takesNull, eachOf } = definition;
  const types = definition.takes;
  const readers = args.map((arg, index) => argumentReader(arg, types[index] ?? object));
  const finish = finisherOf(returns, context);
  const [first, second, third] = readers;
  // Most calls have one to three arguments: these go without a list of them. Whether one is null is known before any is converted.
  const isPlain = !takesNull && eachOf === undefined;
  if (readers.length === 1 && first !== undefined && isPlain) {
    return {
      type: returns,
      run: (fields) => {
        const only = first.run(fields);
        return only === null ? null : finish(call(first.convert(only)));
      },
    };
  }
  if (readers.length === 2 && first !== undefined && second !== undefined && isPlain) {
    return {
      type: returns,
      run: (fields) => {
        const [left, right] = [first.run(fields), second.run(fields)];
        return left === null || right === null ? null : finish(call(first.convert(left), second.convert(right)));
      },
    };
  }
  if (readers.length === 3 && first !== undefined && second !== undefined && third !== undefined && isPlain) {
    return {
      type: returns,
      run: (fields) => {
        const [a, b, c] = [first.run(fields), second.run(fields), third.run(fields)];
        if (a === null || b === null || c === null) return null;
        return finish(call(first.convert(a), second.convert(b), third.convert(c)));
      },
    };
  }
  return {
    type: returns,
    run: (fields) => {
      const values = readers.map(({ run }) => run(fields));
      if (!takesNull && values.includes(null)) return null;
      if (eachOf !== undefined && isEmptyList(values[eachOf])) {
        // Texts such as units and zones are looked at for each element, so for none; numbers are numbers before.
        for (const [index, { convert }] of readers.entries()) if (types[index]?.name !== 'String') convert(values[index]);
        return finish([]);
      }
      return finish(
        call(...values.map((value, index) => (value === null ? noValue(types[index]) : readers[index]?.convert(value)))),
      );
    },
  };
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

/** Null where a function takes it: a plain number or Boolean of Java cannot be. */
function noValue(type: Type<unknown> | undefined): null {
  if (type?.name === 'int' || type?.name === 'long' || type?.name === 'double' || type?.name === 'boolean') {
    throw expressionFailed(`An argument of type ${type.name} has no value.`);
  }
  return null;
}

function compileVariadic(definition: FunctionDefinition, args: readonly Compiled[], context: EvaluationContext): Compiled {
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

/** An argument, and how it becomes one of the type of its place: without a detour where it has that type already. */
function argumentReader(
  arg: Compiled,
  type: Type<unknown>,
): { run: (fields: Fields) => unknown; convert: (value: unknown) => unknown } {
  if (arg.type === type && type !== object) return { run: arg.run, convert: (value) => value };
  const { constant } = arg;
  const converted = constant === undefined ? undefined : convertOnce(constant, type);
  if (converted !== undefined) return { run: () => constant, convert: () => converted.value };
  return { run: boxed(arg), convert: type === object ? (value) => value : (value) => type.read(value as PresentValue) };
}

/** What becomes of a literal for all rows; undefined where it cannot be converted, which each row that needs it then tells. */
function convertOnce(constant: PresentValue, type: Type<unknown>): { readonly value: unknown } | undefined {
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

/** Everything of no fixed size that a function makes is checked, so that nested calls cannot double it without end. */
function finisherOf({ name }: Type<unknown>, { budget }: EvaluationContext): (raw: unknown) => unknown {
  if (name !== 'String' && name !== 'Object' && name !== 'Map' && !name.endsWith('[]')) return (raw) => raw ?? null;
  return (raw) => {
    if (typeof raw === 'string') checkTextLength(raw.length);
    else if (Array.isArray(raw)) checkElementCount(raw.length);
    // What lists are made of before they are values counts as much as values do.
    budget?.takeValue((raw ?? null) as Value);
    return raw ?? null;
  };
}
