import fc from 'fast-check';
import {
  bytes,
  dateTexts,
  fractions,
  hints,
  longs,
  numberTexts,
  one,
  shortText,
  specials,
  texts,
  times,
  wholes,
  type Given,
} from './argument-pools.ts';

/**
 * Values for an argument of a function of Apache Pinot: mostly valid ones, and some that are not.
 */
export function argumentFor(name: string, type: string, place: number): fc.Arbitrary<Given> {
  const hinted = hints.find(([pattern]) => pattern.test(name))?.[1][place];
  const plain = byType(type);
  const isList = type.endsWith('[]') && type !== 'byte[]';
  if (hinted === undefined) return plain;
  const values = isList ? fc.array(hinted, { maxLength: 3 }) : hinted;
  return fc.oneof(
    { arbitrary: values, weight: 12 },
    { arbitrary: plain, weight: 1 },
    { arbitrary: fc.constant(null), weight: 1 },
  );
}

function byType(type: string): fc.Arbitrary<Given> {
  const element = type.endsWith('[]') ? type.slice(0, -2) : undefined;
  if (element !== undefined && element !== 'byte') {
    return weighted(
      [fc.array(elementFor(element), { maxLength: 5 }), 14],
      [elementFor(element), 1],
      [fc.constant(null), 1],
    );
  }
  return weighted([elementFor(type), 14], [anything, 2], [fc.constant(null), 1]);
}

function elementFor(type: string): fc.Arbitrary<Given> {
  switch (type) {
    case 'int':
    case 'Integer':
      return weighted(
        [wholes, 6],
        [fc.integer({ min: -200, max: 200 }), 3],
        [numberTexts, 1],
        [fractions, 1],
      );
    case 'long':
    case 'Long':
      return weighted(
        [wholes, 3],
        [longs, 3],
        [fc.maxSafeInteger(), 2],
        [numberTexts, 1],
        [fractions, 1],
      );
    case 'float':
    case 'double':
    case 'Double':
      return weighted(
        [fractions, 4],
        [wholes, 3],
        [specials, 2],
        [plainDouble({ min: -1e6, max: 1e6 }), 2],
        [numberTexts, 1],
      );
    case 'BigDecimal':
      return weighted(
        [fractions, 3],
        [wholes, 2],
        [one('1.50', '-12345678901234567890.123', '0E-10', '1e3', 'x'), 3],
      );
    case 'boolean':
    case 'Boolean':
      return one(
        'true',
        'false',
        'TRUE',
        'yes',
        1,
        0,
        '1',
        { $boolean: true },
        { $boolean: false },
      );
    case 'Timestamp':
      return fc.oneof(times, dateTexts);
    case 'byte[]':
      return bytes;
    case 'Map':
      return one({ a: 1, b: 'x' }, {}, { k: [1, 2] });
    case 'String':
      return weighted([texts, 8], [shortText, 4], [anything, 1]);
    default:
      return anything;
  }
}

const anything: fc.Arbitrary<Given> = weighted(
  [texts, 3],
  [wholes, 3],
  [fractions, 2],
  [longs, 1],
  [one({ $boolean: true }, 'false'), 1],
  [one([1, 2, 3], ['a', 'b'], [], [null], { a: 1 }, { b: { c: [1] } }), 1],
);

/**
 * A double that JSON can represent as a double: neither infinite nor -0, nor written as a long
 * integer.
 */
export function plainDouble(range: {
  readonly min?: number;
  readonly max?: number;
}): fc.Arbitrary<number> {
  return fc
    .double({ ...range, noNaN: true, noDefaultInfinity: true })
    .map((value) => value + 0)
    .filter((value) => Math.abs(value) < 2 ** 53 || Math.abs(value) >= 1e21);
}

function weighted(
  ...choices: readonly (readonly [fc.Arbitrary<Given>, number])[]
): fc.Arbitrary<Given> {
  return fc.oneof(...choices.map(([arbitrary, weight]) => ({ arbitrary, weight })));
}
