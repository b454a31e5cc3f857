import type { SourceValue } from '../../row.ts';
import { type FunctionDefinition, scalar } from '../function-definition.ts';
import { nullable } from '../parameter.ts';
import { anything, array, integer, text } from '../parameters.ts';
import { calculate, sum } from '../values/arithmetic.ts';
import { compareValues } from '../values/compare.ts';
import { distinctValues, isEqual, numbersIn } from '../values/elements.ts';
import { writeJson } from '../values/json.ts';

/** The engine has one function for each type of element; here they are names of one. */
function typed(name: string, ...suffixes: readonly string[]): readonly string[] {
  return ['Int', 'Long', 'Float', 'Double', 'String', ...suffixes].map((suffix) => name + suffix);
}

/** Arrays; a single value counts as an array of one. */
export const arrayFunctions: readonly FunctionDefinition[] = [
  scalar({
    name: 'array',
    aliases: ['arrayValueConstructor'],
    takes: [],
    rest: nullable(anything),
    returns: 'array',
    does: 'An array of its arguments.',
    evaluate: (...values) => values,
  }),
  scalar({
    name: 'arrayLength',
    aliases: ['cardinality'],
    takes: [array],
    returns: 'integer',
    does: 'How many elements there are.',
    evaluate: (values) => values.length,
  }),
  scalar({
    name: 'arrayElementAt',
    aliases: typed('arrayElementAt'),
    takes: [array, integer],
    returns: 'value',
    does: 'The element at a place, counted from 1; null if there is none.',
    evaluate: (values, place) => values[place - 1] ?? null,
  }),
  scalar({
    name: 'arrayMin',
    takes: [array],
    returns: 'value',
    does: 'The smallest element.',
    evaluate: (values) =>
      numbersIn(values).reduce<SourceValue>((best, each) => (best === null || compareValues(each, best) < 0 ? each : best), null),
  }),
  scalar({
    name: 'arrayMax',
    takes: [array],
    returns: 'value',
    does: 'The largest element.',
    evaluate: (values) =>
      numbersIn(values).reduce<SourceValue>((best, each) => (best === null || compareValues(each, best) > 0 ? each : best), null),
  }),
  scalar({
    name: 'arraySum',
    aliases: typed('arraySum'),
    takes: [array],
    returns: 'number',
    does: 'The sum of the elements.',
    evaluate: (values) => numbersIn(values).reduce<number | bigint>((total, each) => calculate(total, each, sum), 0),
  }),
  scalar({
    name: 'arrayAverage',
    takes: [array],
    returns: 'number',
    does: 'The mean of the elements; null if there are none.',
    evaluate(values) {
      const numbers = numbersIn(values);
      return numbers.length === 0 ? null : numbers.reduce<number>((total, each) => total + Number(each), 0) / numbers.length;
    },
  }),
  scalar({
    name: 'arraySort',
    aliases: typed('arraySort'),
    takes: [array],
    returns: 'array',
    does: 'The elements in ascending order, without nulls.',
    evaluate: (values) => values.filter((value) => value !== null).toSorted(compareValues),
  }),
  scalar({
    name: 'arrayReverse',
    aliases: typed('arrayReverse'),
    takes: [array],
    returns: 'array',
    does: 'The elements from the last to the first.',
    evaluate: (values) => values.toReversed(),
  }),
  scalar({
    name: 'arrayDistinct',
    aliases: typed('arrayDistinct'),
    takes: [array],
    returns: 'array',
    does: 'Each element once, where it first stands.',
    evaluate: distinctValues,
  }),
  scalar({
    name: 'arrayIndexOf',
    aliases: typed('arrayIndexOf'),
    takes: [array, anything],
    returns: 'integer',
    does: 'The place of a value, counted from 0; -1 if it is not there.',
    evaluate: (values, wanted) => values.findIndex((value) => isEqual(value, wanted)),
  }),
  scalar({
    name: 'arrayContains',
    aliases: typed('arrayContains'),
    takes: [array, anything],
    returns: 'boolean',
    does: 'Whether a value is among the elements.',
    evaluate: (values, wanted) => values.some((value) => isEqual(value, wanted)),
  }),
  scalar({
    name: 'arrayRemove',
    aliases: typed('arrayRemove'),
    takes: [array, anything],
    returns: 'array',
    does: 'The elements without the first that equals a value.',
    evaluate(values, unwanted) {
      const index = values.findIndex((value) => isEqual(value, unwanted));
      return index < 0 ? values : values.toSpliced(index, 1);
    },
  }),
  scalar({
    name: 'arrayConcat',
    aliases: typed('arrayConcat'),
    takes: [array, array],
    rest: array,
    returns: 'array',
    does: 'The elements of all its arguments.',
    evaluate: (...arrays) => arrays.flat(1),
  }),
  scalar({
    name: 'arrayUnion',
    aliases: typed('arrayUnion'),
    takes: [array, array],
    returns: 'array',
    does: 'The elements of both, each once.',
    evaluate: (left, right) => distinctValues([...left, ...right]),
  }),
  scalar({
    name: 'arraySlice',
    aliases: typed('arraySlice'),
    takes: [array, integer, integer],
    returns: 'array',
    does: 'The elements from a place, counted from 0, up to before another.',
    evaluate: (values, start, end) => values.slice(Math.max(start, 0), Math.max(end, 0)),
  }),
  scalar({
    name: 'arrayToString',
    aliases: ['arrayJoin'],
    takes: [array, text],
    optionally: [text],
    returns: 'text',
    does: 'The elements as one text with a separator; nulls are left out, or stand as the third argument.',
    evaluate: (values, separator, ofNull) =>
      values
        .flatMap((value) => (value === null ? (ofNull ?? []) : typeof value === 'object' ? writeJson(value) : String(value)))
        .join(separator),
  }),
];
