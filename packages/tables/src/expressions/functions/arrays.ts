import {
  boolean,
  define,
  defineVariadic,
  double,
  doubles,
  float,
  floats,
  type FunctionDefinition,
  int,
  ints,
  long,
  longs,
  object,
  text,
  texts,
  type Type,
} from './function-definition.ts';
import { expressionFailed } from '../values/expression-error.ts';
import { typeOf, type Value } from '../values/value.ts';

/** The maximum number of elements of a list that an expression creates. */
const lengthMax = 100_000;

/** An element type of array functions: their suffix, and the value of a missing element. */
interface Kind<T> {
  readonly suffix: string;
  readonly element: Type<T>;
  readonly list: Type<readonly T[]>;
  readonly none: T;
  /** The notation of such a list in the documentation. */
  readonly shown: string;
  readonly one: string;
}

const kinds = {
  int: { suffix: 'Int', element: int, list: ints, none: 0, shown: 'ARRAY[3, 1, 3]', one: '3' },
  long: { suffix: 'Long', element: long, list: longs, none: 0n, shown: 'ARRAY[3, 1, 3]', one: '3' },
  float: {
    suffix: 'Float',
    element: float,
    list: floats,
    none: 0,
    shown: 'ARRAY[1.5, 2.5]',
    one: '1.5',
  },
  double: {
    suffix: 'Double',
    element: double,
    list: doubles,
    none: 0,
    shown: 'ARRAY[1.5, 2.5]',
    one: '1.5',
  },
  text: {
    suffix: 'String',
    element: text,
    list: texts,
    none: '',
    shown: "ARRAY['b', 'a', 'b']",
    one: "'b'",
  },
} as const;

/** Defines the functions that all five types have. */
function everyKind<T>({
  suffix,
  element,
  list,
  none,
  shown,
  one,
}: Kind<T>): readonly FunctionDefinition[] {
  return [
    define(
      `arrayConcat${suffix}`,
      [list, list],
      list,
      (a, b) => bounded([...a, ...b]),
      'Both lists, concatenated.',
      `arrayConcat${suffix}(${shown}, ${shown})`,
    ),
    define(
      `arrayElementAt${suffix}`,
      [list, int],
      element,
      (a, index) => a[index - 1] ?? none,
      'The element at a position, counted from 1; 0 or an empty text where there is none.',
      `arrayElementAt${suffix}(${shown}, 1)`,
    ),
    define(
      `arrayIndexesOf${suffix}`,
      [list, element],
      ints,
      (a, find) => a.flatMap((each, index) => (isSame(each, find) ? [index] : [])),
      'The positions of the element, counted from 0.',
      `arrayIndexesOf${suffix}(${shown}, ${one})`,
    ),
    define(
      `arrayPushBack${suffix}`,
      [list, element],
      list,
      (a, last) => [...a, last],
      'The list with an element appended.',
      `arrayPushBack${suffix}(${shown}, ${one})`,
    ),
    define(
      `arrayPushFront${suffix}`,
      [list, element],
      list,
      (a, first) => [first, ...a],
      'The list with an element prepended.',
      `arrayPushFront${suffix}(${shown}, ${one})`,
    ),
  ];
}

/**
 * Defines the functions that only lists of INT and of STRING have. `missing` fills a slice beyond
 * the end of the list.
 */
function mainKind<T extends number | string>(
  { suffix, element, list, shown, one }: Kind<T>,
  missing: T | null,
): readonly FunctionDefinition[] {
  return [
    define(
      `arrayReverse${suffix}`,
      [list],
      list,
      (a) => a.toReversed(),
      'The list in reverse.',
      `arrayReverse${suffix}(${shown})`,
    ),
    define(
      `arraySort${suffix}`,
      [list],
      list,
      (a) => a.toSorted((left, right) => (left < right ? -1 : Number(left > right))),
      'The list in ascending order.',
      `arraySort${suffix}(${shown})`,
    ),
    define(
      `arrayDistinct${suffix}`,
      [list],
      list,
      (a) => [...new Set(a)],
      'Each element once.',
      `arrayDistinct${suffix}(${shown})`,
    ),
    define(
      `arrayUnion${suffix}`,
      [list, list],
      list,
      (a, b) => [...new Set([...a, ...b])],
      'The distinct elements of both lists.',
      `arrayUnion${suffix}(${shown}, ${shown})`,
    ),
    define(
      `arrayContains${suffix}`,
      [list, element],
      boolean,
      (a, find) => a.includes(find),
      'Whether the list has the element.',
      `arrayContains${suffix}(${shown}, ${one})`,
    ),
    define(
      `arrayIndexOf${suffix}`,
      [list, element],
      int,
      (a, find) => a.indexOf(find),
      'The first position of the element, counted from 0; -1 if there is none.',
      `arrayIndexOf${suffix}(${shown}, ${one})`,
    ),
    define(
      `arrayRemove${suffix}`,
      [list, element],
      list,
      (a, find) => (a.includes(find) ? a.toSpliced(a.indexOf(find), 1) : a),
      'The list without the first such element.',
      `arrayRemove${suffix}(${shown}, ${one})`,
    ),
    define(
      `arraySlice${suffix}`,
      [list, int, int],
      list,
      (a, from, to) => slice(a, from, to, missing),
      'The elements from a start position to before an end position, counted from 0; missing ones are 0, or null in lists of texts.',
      `arraySlice${suffix}(${shown}, 0, 2)`,
    ),
  ];
}

export const arrayFunctions: readonly FunctionDefinition[] = [
  defineVariadic(
    'array',
    object,
    false,
    (...args) => listOf(args),
    'A list of values of one type.',
    'array(1, 2)',
  ),
  defineVariadic(
    'arrayValueConstructor',
    object,
    true,
    (...args) => args,
    'A list of literals; written `ARRAY[1, 2]`.',
    'ARRAY[1, 2]',
  ),
  define(
    'arrayLength cardinality',
    [texts],
    int,
    (a) => a.length,
    'The number of elements.',
    'arrayLength(ARRAY[1, 2])',
  ),
  define(
    'arrayToString',
    [texts, text],
    text,
    (a, separator) => a.join(separator),
    'The elements, joined by a separator.',
    "arrayToString(ARRAY['a', 'b'], '-')",
  ),
  define(
    'arrayToString',
    [texts, text, text],
    text,
    (a, separator, none) => a.map((each) => (each === '' ? none : each)).join(separator),
    'The elements, joined by a separator, with a replacement for empty elements.',
    "arrayToString(split('a,b', ','), '-', '?')",
  ),
  define(
    'arraysOverlap',
    [texts, texts],
    boolean,
    (a, b) => overlap(a, b),
    'Whether the lists have an element in common.',
    "arraysOverlap(ARRAY['a'], ARRAY['b', 'a'])",
  ),
  define(
    'intersectIndices',
    [ints, ints],
    ints,
    intersectSorted,
    'The elements that two sorted lists have in common.',
    'intersectIndices(ARRAY[1, 2], ARRAY[2, 3])',
  ),
  define(
    'arraySumInt',
    [ints],
    int,
    (a) => a.reduce((sum, each) => (sum + each) | 0, 0),
    'The sum, which wraps at 32 bits.',
    'arraySumInt(ARRAY[1, 2])',
  ),
  define(
    'arraySumLong',
    [longs],
    long,
    (a) => a.reduce((sum, each) => BigInt.asIntN(64, sum + each), 0n),
    'The sum, which wraps at 64 bits.',
    'arraySumLong(ARRAY[1, 2])',
  ),
  ...mainKind<number>(kinds.int, 0),
  ...mainKind<string>(kinds.text, null),
  ...everyKind<number>(kinds.int),
  ...everyKind<bigint>(kinds.long),
  ...everyKind<number>(kinds.float),
  ...everyKind<number>(kinds.double),
  ...everyKind<string>(kinds.text),
  define(
    'generateIntArray',
    [int, int, int],
    ints,
    (start, end, step) =>
      generate(
        count(Math.trunc(((end - start) | 0) / step) + 1, step),
        (index) => (start + index * step) | 0,
      ),
    'The numbers from a start to an end, with a step.',
    'generateIntArray(1, 5, 2)',
  ),
  define(
    'generateLongArray',
    [long, long, long],
    longs,
    (start, end, step) =>
      generate(
        step === 0n
          ? count(0, 0)
          : count(Number(BigInt.asIntN(32, BigInt.asIntN(64, end - start) / step + 1n)), 1),
        (index) => start + BigInt(index) * step,
      ),
    'The numbers from a start to an end, with a step, as longs.',
    'generateLongArray(1, 5, 2)',
  ),
  define(
    'generateFloatArray',
    [float, float, float],
    floats,
    (start, end, step) =>
      generateSums(start, Math.fround(Math.fround(end - start) / step), step, Math.fround),
    'The numbers from a start to an end, with a step, as floats.',
    'generateFloatArray(1, 2, 0.5)',
  ),
  define(
    'generateDoubleArray',
    [double, double, double],
    doubles,
    (start, end, step) => generateSums(start, (end - start) / step, step, Number),
    'The numbers from a start to an end, with a step, as doubles.',
    'generateDoubleArray(1, 2, 0.5)',
  ),
];

/** Returns a list whose elements must all have the type of the first one. */
function listOf(values: readonly Value[]): Value {
  const type = typeOf(values[0] ?? null);
  const isTyped = !['NULL', 'TIMESTAMP', 'BYTES', 'MAP', 'ARRAY'].includes(type);
  if (isTyped && values.some((value) => typeOf(value) !== type)) {
    throw expressionFailed(`The elements of a list of ${type} have several types.`);
  }
  return values;
}

function isSame(a: unknown, b: unknown): boolean {
  return a === b || (Number.isNaN(a) && Number.isNaN(b));
}

function slice<T>(
  given: readonly T[],
  start: number,
  end: number,
  missing: T | null,
): readonly T[] {
  if (start < 0 || start > given.length || start > end) {
    throw expressionFailed(
      `A list of ${given.length} elements has no elements from ${start} to ${end}.`,
    );
  }
  return generate(
    count(end - start, 1),
    (index) => (start + index < given.length ? given[start + index] : missing) as T,
  );
}

function overlap(a: readonly string[], b: readonly string[]): boolean {
  const known = new Set(a);
  return b.some((each) => known.has(each));
}

function intersectSorted(a: readonly number[], b: readonly number[]): readonly number[] {
  let index = 0;
  return a.filter((each) => {
    const isCommon = index < b.length && each === b[index];
    if (isCommon) index += 1;
    return isCommon;
  });
}

function count(wanted: number, step: number): number {
  if (step === 0 || !(wanted >= 0)) {
    throw expressionFailed('The step must lead from the start towards the end.');
  }
  if (wanted > lengthMax) {
    throw expressionFailed(
      `A list of ${wanted} elements is too long; at most ${lengthMax} are allowed.`,
    );
  }
  return wanted;
}

function generate<T>(length: number, at: (index: number) => T): readonly T[] {
  return Array.from({ length }, (_, index) => at(index));
}

function generateSums(
  start: number,
  steps: number,
  step: number,
  round: (value: number) => number,
): readonly number[] {
  const length = count(Number.isNaN(steps) ? 0 : Math.trunc(round(steps + 1)), 1);
  let value = start;
  return generate(length, () => {
    const here = value;
    value = round(value + step);
    return here;
  });
}

function bounded<T>(given: readonly T[]): readonly T[] {
  count(given.length, 1);
  return given;
}
