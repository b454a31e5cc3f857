import { form, type FunctionDefinition, scalar } from '../function-definition.ts';
import { nullable, type Parameter, type PresentValue } from '../parameter.ts';
import { anything } from '../parameters.ts';
import type { SourceValue } from '../../row.ts';
import { compareValues } from '../values/compare.ts';

const optional: Parameter<PresentValue | null> = nullable(anything);

function test(name: string, does: string, holds: (value: SourceValue) => boolean): FunctionDefinition {
  return scalar({ name, takes: [optional], returns: 'boolean', does, evaluate: holds });
}

function areDistinct(left: SourceValue, right: SourceValue): boolean {
  if (left === null || right === null) return left !== right;
  return compareValues(left, right) !== 0;
}

/** What to do about null. A field that a row does not have is null. */
export const nullFunctions: readonly FunctionDefinition[] = [
  form({
    name: 'coalesce',
    aliases: ['ifNull', 'nvl'],
    shows: 'value…',
    argCountMin: 1,
    argCountMax: Number.POSITIVE_INFINITY,
    returns: 'value',
    does: 'The first of its arguments that is not null; those behind it are not evaluated.',
    combine: (args) => (fields) => {
      for (const arg of args) {
        const value = arg(fields);
        if (value !== null) return value;
      }
      return null;
    },
  }),
  scalar({
    name: 'nullIf',
    takes: [optional, optional],
    returns: 'value',
    does: 'Null if both are equal, else the first.',
    evaluate: (left, right) => (left === null || right === null || areDistinct(left, right) ? left : null),
  }),
  test('isNull', 'Whether it is null; the operator `IS NULL`.', (value) => value === null),
  test('isNotNull', 'Whether it is not null; the operator `IS NOT NULL`.', (value) => value !== null),
  test(
    'isTrue',
    'Whether it is true, and not null; the operator `IS TRUE`.',
    (value) => value === true || value === 1 || value === 'true',
  ),
  test(
    'isFalse',
    'Whether it is false, and not null; the operator `IS FALSE`.',
    (value) => value === false || value === 0 || value === 'false',
  ),
  scalar({
    name: 'isDistinctFrom',
    takes: [optional, optional],
    returns: 'boolean',
    does: 'Whether two values differ; null equals null.',
    evaluate: areDistinct,
  }),
  scalar({
    name: 'isNotDistinctFrom',
    takes: [optional, optional],
    returns: 'boolean',
    does: 'Whether two values are equal; null equals null.',
    evaluate: (left, right) => !areDistinct(left, right),
  }),
];
