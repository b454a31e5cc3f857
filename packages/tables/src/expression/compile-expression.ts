import { isQuireError } from '@quire/core';
import type { SourceRow, SourceValue } from '../row.ts';
import { argumentPlace } from './check-call.ts';
import type { Expression } from './expression.ts';
import { expressionFailed } from './expression-error.ts';
import type { EvaluationContext, Evaluator, FunctionDefinition } from './function-definition.ts';
import { findFunction } from './function-table.ts';
import { checkElementCount, checkTextLength } from './values/long-text.ts';

type ReadArgument = (fields: SourceRow) => unknown;

/** What a read argument gives where the whole call is null, because its function does not take null. */
const absent = Symbol('absent');

/**
 * Makes a function of an expression that `parseExpression` accepted: closures over closures, no code is generated.
 *
 * The function is pure but for the clock. It throws EXPRESSION_FAILED, and nothing else, when the row's values do not suit.
 *
 * @throws EXPRESSION_FAILED when the tree has a call that `parseExpression` would not have accepted
 */
export function compileExpression(expression: Expression, context: EvaluationContext): Evaluator {
  const evaluate = compile(expression, context);
  return (fields) => {
    try {
      return evaluate(fields);
    } catch (error) {
      if (isQuireError(error, 'EXPRESSION_FAILED')) throw error;
      // Texts beyond the runtime's limits, and values nested deeper than its stack.
      if (error instanceof RangeError) throw expressionFailed(`A value is too large: ${error.message}.`, error);
      throw error;
    }
  };
}

function compile(expression: Expression, context: EvaluationContext): Evaluator {
  if (expression.kind === 'literal') {
    const { value } = expression;
    return () => value;
  }
  if (expression.kind === 'column') return compileColumn(expression.name);
  const definition = findFunction(expression.name);
  if (definition === undefined) throw expressionFailed(`There is no function ${expression.name}.`);
  const { length } = expression.args;
  if (length < definition.argCountMin || length > definition.argCountMax) {
    throw expressionFailed(`${definition.name} does not take ${length} arguments.`);
  }
  if (definition.kind === 'form') return definition.combine(expression.args.map((arg) => compile(arg, context)));
  return compileScalar(definition, expression.args, context);
}

function compileColumn(name: string): Evaluator {
  return (fields) => (Object.hasOwn(fields, name) ? (fields[name] ?? null) : null);
}

function compileScalar(definition: FunctionDefinition, args: readonly Expression[], context: EvaluationContext): Evaluator {
  const evaluate = definition.bind(context);
  const bounded = (value: SourceValue): SourceValue => checked(value, context);
  const readers = args.map((arg, index) => compileArgument(definition, arg, index, context));
  const [first, second] = readers;
  if (first !== undefined && readers.length === 1) {
    return (fields) => {
      const value = first(fields);
      return value === absent ? null : bounded(evaluate(value));
    };
  }
  if (first !== undefined && second !== undefined && readers.length === 2) {
    return (fields) => {
      const left = first(fields);
      if (left === absent) return null;
      const right = second(fields);
      return right === absent ? null : bounded(evaluate(left, right));
    };
  }
  return (fields) => {
    const values: unknown[] = [];
    for (const read of readers) {
      const value = read(fields);
      if (value === absent) return null;
      values.push(value);
    }
    return bounded(evaluate(...values));
  };
}

function compileArgument(
  definition: FunctionDefinition,
  arg: Expression,
  index: number,
  context: EvaluationContext,
): ReadArgument {
  const parameter = definition.parameterAt(index);
  if (parameter === undefined) throw new TypeError(`${definition.name} has no parameter ${index + 1}`);
  const place = argumentPlace(definition, index);
  const ofNull = parameter.takesNull === true ? null : absent;
  if (arg.kind === 'literal') {
    // Read once: this is where patterns, paths and zones are parsed.
    const value = arg.value === null ? ofNull : parameter.read(arg.value, place);
    return () => value;
  }
  const evaluate = compile(arg, context);
  return (fields) => {
    const value = evaluate(fields);
    return value === null ? ofNull : parameter.read(value, place);
  };
}

/** Everything that a function makes is checked, so that nested calls cannot double it without end. */
function checked(value: SourceValue, { budget }: EvaluationContext): SourceValue {
  if (typeof value === 'string') checkTextLength(value.length);
  else if (Array.isArray(value)) checkElementCount(value.length);
  budget?.takeValue(value);
  return value;
}
