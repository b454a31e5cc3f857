import { define, double, floats, type FunctionDefinition, int } from './function-definition.ts';
import { expressionFailed } from '../values/expression-error.ts';

/** Functions of vectors. Floats are multiplied as floats and summed as doubles. */
export const vectorFunctions: readonly FunctionDefinition[] = [
  define(
    'cosineDistance',
    [floats, floats],
    double,
    (a, b) => cosine(a, b, Number.NaN),
    '1 minus the cosine of the angle between two vectors; NaN if one of them is 0.',
    'cosineDistance(ARRAY[1, 0], ARRAY[0, 1])',
  ),
  define(
    'cosineDistance',
    [floats, floats, double],
    double,
    cosine,
    '1 minus the cosine of the angle between two vectors, or the third argument if one of them is 0.',
    'cosineDistance(ARRAY[0], ARRAY[1], -1)',
  ),
  define(
    'innerProduct',
    [floats, floats],
    double,
    (a, b) => sumOf(a, b, (x, y) => Math.fround(x * y)),
    'The dot product: the sum of the products.',
    'innerProduct(ARRAY[1, 2], ARRAY[3, 4])',
  ),
  define(
    'dotProduct',
    [floats, floats],
    double,
    (a, b) => sumOf(a, b, (x, y) => Math.fround(x * y)),
    'The dot product of two vectors.',
    'dotProduct(ARRAY[1, 2], ARRAY[3, 4])',
  ),
  define(
    'l1Distance',
    [floats, floats],
    double,
    (a, b) => sumOf(a, b, (x, y) => Math.abs(Math.fround(x - y))),
    'The L1 distance: the sum of the absolute differences.',
    'l1Distance(ARRAY[1, 2], ARRAY[3, 4])',
  ),
  define(
    'l2Distance',
    [floats, floats],
    double,
    (a, b) => Math.sqrt(squares(a, b)),
    'The L2 distance: the root of the sum of the squares of the differences.',
    'l2Distance(ARRAY[0, 0], ARRAY[3, 4])',
  ),
  define(
    'euclideanDistance',
    [floats, floats],
    double,
    squares,
    'The sum of the squares of the differences, without the root.',
    'euclideanDistance(ARRAY[0, 0], ARRAY[3, 4])',
  ),
  define(
    'vectorDims',
    [floats],
    int,
    (a) => some(a).length,
    'The number of dimensions of a vector.',
    'vectorDims(ARRAY[1, 2])',
  ),
  define(
    'vectorNorm',
    [floats],
    double,
    (a) => Math.sqrt(some(a).reduce((sum, each) => sum + each * each, 0)),
    'The length of a vector.',
    'vectorNorm(ARRAY[3, 4])',
  ),
];

function some(given: readonly number[]): readonly number[] {
  if (given.length === 0) throw expressionFailed('A vector has no elements.');
  return given;
}

function sumOf(
  a: readonly number[],
  b: readonly number[],
  at: (x: number, y: number) => number,
): number {
  if (a.length !== b.length) {
    throw expressionFailed(`Vectors of ${a.length} and ${b.length} elements cannot be compared.`);
  }
  return a.reduce((sum, each, index) => sum + at(each, b[index] ?? 0), 0);
}

function squares(a: readonly number[], b: readonly number[]): number {
  return sumOf(a, b, (x, y) => Math.fround(x - y) ** 2);
}

function cosine(a: readonly number[], b: readonly number[], otherwise: number): number {
  const product = sumOf(a, b, (x, y) => Math.fround(x * y));
  const norms = [a, b].map((each) => each.reduce((sum, x) => sum + x * x, 0));
  return norms.includes(0)
    ? otherwise
    : 1 - product / (Math.sqrt(norms[0] ?? 0) * Math.sqrt(norms[1] ?? 0));
}
