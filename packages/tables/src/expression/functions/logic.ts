import { type Evaluator, form, type FunctionDefinition } from '../function-definition.ts';
import type { SourceRow, SourceValue } from '../../row.ts';
import { boolean } from '../parameters.ts';
import { compareValues } from '../values/compare.ts';

/** A condition's three values. @throws EXPRESSION_FAILED when it is none */
function conditionOf(value: SourceValue): boolean | null {
  return value === null ? null : boolean.read(value, 'a condition');
}

/** Goes on until one is decisive; null is neither, and wins if none is. */
function chain(args: readonly Evaluator[], decisive: boolean): Evaluator {
  return (fields) => {
    let result: boolean | null = !decisive;
    for (const arg of args) {
      const condition = conditionOf(arg(fields));
      if (condition === decisive) return decisive;
      if (condition === null) result = null;
    }
    return result;
  };
}

/** Pairs of condition and value, and a last value for when no condition is true. */
function choose(args: readonly Evaluator[], fields: SourceRow): SourceValue {
  for (let index = 0; index + 1 < args.length; index += 2) {
    const condition = args[index];
    if (condition !== undefined && conditionOf(condition(fields)) === true) return args[index + 1]?.(fields) ?? null;
  }
  return args.length % 2 === 1 ? (args.at(-1)?.(fields) ?? null) : null;
}

/** Null where the value is not found but null is among the choices, as in SQL. */
function isAmong(args: readonly Evaluator[], fields: SourceRow): boolean | null {
  const [first, ...choices] = args;
  const value = first?.(fields) ?? null;
  if (value === null) return null;
  let result: boolean | null = false;
  for (const each of choices) {
    const choice = each(fields);
    if (choice === null) result = null;
    else if (compareValues(value, choice) === 0) return true;
  }
  return result;
}

const many = Number.POSITIVE_INFINITY;

/** Conditions of three values, true, false and null, and choices by them. Only what is needed is evaluated. */
export const logicFunctions: readonly FunctionDefinition[] = [
  form({
    name: 'and',
    shows: 'boolean, boolean…',
    argCountMin: 1,
    argCountMax: many,
    returns: 'boolean',
    does: 'False if one is false, else null if one is null, else true; the operator `AND`.',
    combine: (args) => chain(args, false),
  }),
  form({
    name: 'or',
    shows: 'boolean, boolean…',
    argCountMin: 1,
    argCountMax: many,
    returns: 'boolean',
    does: 'True if one is true, else null if one is null, else false; the operator `OR`.',
    combine: (args) => chain(args, true),
  }),
  form({
    name: 'not',
    shows: 'boolean',
    argCountMin: 1,
    argCountMax: 1,
    returns: 'boolean',
    does: 'True for false and false for true; the operator `NOT`.',
    combine: ([arg]) => {
      return (fields) => {
        const condition = conditionOf(arg?.(fields) ?? null);
        return condition === null ? null : !condition;
      };
    },
  }),
  form({
    name: 'in',
    shows: 'value, value…',
    argCountMin: 2,
    argCountMax: many,
    returns: 'boolean',
    does: 'Whether the first equals one of the others; the operator `IN (…)`.',
    combine: (args) => (fields) => isAmong(args, fields),
  }),
  form({
    name: 'caseWhen',
    aliases: ['case'],
    shows: 'boolean, value…, value',
    argCountMin: 2,
    argCountMax: many,
    returns: 'value',
    does: 'The value behind the first condition that is true, else the last; `CASE WHEN … THEN … ELSE … END`.',
    combine: (args) => (fields) => choose(args, fields),
  }),
];
