import { isQuireError } from '@quire/core';
import { ManualClock } from '@quire/core/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compileExpression } from '../../src/expressions/language/compile-expression.ts';
import {
  formatDateTime,
  parseDateTimePattern,
} from '../../src/expressions/dates/date-time-pattern.ts';
import { dateToMs } from '../../src/expressions/dates/calendar.ts';
import { pieceAt, splitText } from '../../src/expressions/values/text-pieces.ts';
import { parseJson } from '../../src/expressions/values/json.ts';
import { parseDateTime } from '../../src/expressions/dates/parse-date-time.ts';
import { jodaZone } from '../../src/expressions/dates/zone.ts';
import { type Expression, printExpression } from '../../src/expressions/language/expression.ts';
import { functionFamilies } from '../../src/expressions/functions/function-table.ts';
import { evaluate } from './evaluate.ts';
import { parseExpression } from '../../src/expressions/language/parse-expression.ts';
import { doubleValue, type Value } from '../../src/expressions/values/value.ts';

/** Functions that are called by their name: the others are written in words. */
const written = new Set([
  'cast',
  'trim',
  'extract',
  'timestampAdd',
  'timestampDiff',
  'arrayValueConstructor',
  'jsonExtractKey',
  'rand',
  'substring',
]);
const functions = functionFamilies
  .flatMap((family) => family.functions)
  .filter(({ names }) => !written.has(names[0]));
const literals = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom(
    'yyyy-MM-dd',
    'UTC',
    '$.a',
    '1:DAYS',
    '10.0.0.0/8',
    'DAY',
    'SECONDS',
    'INT',
    '[a-z]+',
    'PT1H',
    '{"a":[1]}',
    '00ff',
  ),
  fc.maxSafeInteger(),
  fc.bigInt({ min: -(2n ** 63n), max: -(2n ** 53n) }),
  fc.bigInt({ min: 2n ** 53n, max: 2n ** 63n - 1n }),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => doubleValue(value)),
  fc.boolean(),
  fc.constant(null),
);
const names = fc.oneof(
  fc.constantFrom('a', 'b', 'c', 'd', 'x.y', 'select', 'NULL'),
  fc.string({ minLength: 1 }),
);

const { expression: expressions } = fc.letrec<{ expression: Expression; call: Expression }>(
  (tie) => ({
    expression: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      literals.map((value): Expression => ({ kind: 'literal', value })),
      names.map((name): Expression => ({ kind: 'column', name })),
      tie('call'),
    ),
    call: fc.constantFrom(...functions).chain(({ names: [name], takes, isVariadic }) =>
      fc
        .array(tie('expression'), {
          minLength: takes.length,
          maxLength: isVariadic ? 4 : takes.length,
        })
        .map((args): Expression => ({ kind: 'call', name, args })),
    ),
  }),
);

const values = fc.oneof(
  literals,
  fc.uint8Array({ maxLength: 8 }),
  fc.array(literals, { maxLength: 4 }),
  fc.dictionary(fc.string(), literals, { maxKeys: 3 }),
  fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, -0),
) as fc.Arbitrary<Value>;
const rows = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd', 'x.y', '__proto__'), values);

test('an expression that is printed and read again is the same tree', () => {
  fc.assert(
    fc.property(expressions, (expression) => {
      const { expression: read, findings = [] } = parseExpression(printExpression(expression));
      expect({ read, findings }).toStrictEqual({ read: expression, findings: [] });
    }),
    { numRuns: 2_000 },
  );
});

test('whatever the expression and the row, evaluating gives a value or fails as a row may', () => {
  fc.assert(
    fc.property(expressions, rows, (expression, row) => {
      const { expression: read } = parseExpression(printExpression(expression));
      if (read === undefined) return;
      const evaluate = compileExpression(read, { clock: new ManualClock() });
      expect(outcomeOf(() => evaluate(row))).toEqual(outcomeOf(() => evaluate(row)));
    }),
    { numRuns: 4_000 },
  );
});

test('reading never throws, whatever the text', () => {
  const words = fc.constantFrom(
    'a',
    '(',
    ')',
    ',',
    'AND',
    'NOT',
    'IN',
    'CASE',
    'WHEN',
    'END',
    'CAST',
    'AS',
    '-',
    '+',
    '1',
    "'",
    '"',
    '.',
  );
  const texts = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(words).map((parts) => parts.join(' ')),
  );
  fc.assert(
    fc.property(texts, (text) => {
      const { expression, findings } = parseExpression(text);
      expect((expression === undefined) !== (findings === undefined)).toBe(true);
    }),
    { numRuns: 3_000 },
  );
});

test('a time that is written with its offset is read as the same time', () => {
  const pattern = parseDateTimePattern("yyyy-MM-dd'T'HH:mm:ss.SSSZZ");
  const zones = fc
    .constantFrom(
      'UTC',
      'America/New_York',
      'Asia/Kolkata',
      'Australia/Lord_Howe',
      'Pacific/Apia',
      '-03:30',
    )
    .map(jodaZone);
  fc.assert(
    fc.property(
      fc.integer({ min: Date.UTC(1980, 0), max: Date.UTC(2100, 0) }),
      zones,
      (epochMs, zone) => {
        expect(
          parseDateTime(formatDateTime(epochMs, pattern, zone), pattern, zone, () => 2024),
        ).toBe(epochMs);
      },
    ),
    { numRuns: 2_000 },
  );
});

test('plain patterns are read and written like any other, errors included', () => {
  const patterns = fc
    .constantFrom(
      'yyyy-MM-dd HH:mm:ss',
      'yyyy-M-d',
      'yyyyMMddHHmmss',
      'H:m',
      'MM/dd/yyyy',
      'dd.MM.yy',
      'd MMM yyyy',
      'y-MM-dd HH:mm:ss.SSS',
    )
    .map(parseDateTimePattern);
  const times = fc.oneof(
    fc.integer({ min: Date.UTC(1900, 0), max: Date.UTC(2100, 0) }),
    fc.integer({ min: -6e15, max: 6e15 }),
  );
  const misspelling = fc.option(fc.tuple(fc.nat(18), fc.constantFrom('', '0', '9', '-', 'x')));
  const zones = fc.constantFrom('UTC', 'Europe/Berlin').map(jodaZone);
  const outcomeOf = (act: () => unknown): unknown => {
    try {
      return act();
    } catch (error) {
      if (isQuireError(error, 'EXPRESSION_FAILED')) return error.message;
      throw error;
    }
  };
  fc.assert(
    fc.property(patterns, times, zones, misspelling, (pattern, epochMs, zone, wrong) => {
      const general = { ...pattern, isPlain: false };
      const written = formatDateTime(epochMs, pattern, zone);
      expect(written).toBe(formatDateTime(epochMs, general, zone));
      const text =
        wrong === null
          ? written
          : written.slice(0, wrong[0]) + wrong[1] + written.slice(wrong[0] + 1);
      const readBy = (form: typeof pattern): unknown =>
        outcomeOf(() => parseDateTime(text, form, zone, () => 2024));
      expect(readBy(pattern)).toEqual(readBy(general));
    }),
    { numRuns: 5_000 },
  );
});

test('a piece of a text is that of all its pieces', () => {
  const texts = fc.string({ unit: fc.constantFrom('a', 'b', ',', ' ') });
  const separators = fc.string({ unit: fc.constantFrom(',', ' '), maxLength: 2 });
  fc.assert(
    fc.property(texts, separators, fc.integer({ min: -4, max: 4 }), (text, separator, index) => {
      expect(pieceAt(text, separator, index)).toBe(splitText(text, separator).at(index));
    }),
    { numRuns: 5_000 },
  );
});

test('numbers in JSON keep their digits and types, however they are written', () => {
  const digits = fc.string({ unit: fc.constantFrom('0', '1', '9'), minLength: 1, maxLength: 20 });
  const fractions = fc.oneof(
    fc.constant(''),
    digits.map((each) => `.${each}`),
  );
  const exponents = fc.constantFrom('', '', 'e2', 'E-1');
  const numbers = fc
    .tuple(fc.constantFrom('', '-'), digits, fractions, exponents)
    .map(([sign, whole, ...rest]) => `${sign}${whole.replace(/^0+(?=.)/, '')}${rest.join('')}`);
  fc.assert(
    fc.property(numbers, (number) => {
      // The number of 16 digits has all numbers of a text read exactly.
      const [exact] = parseJson(`[${number},1000000000000000]`) as readonly Value[];
      expect(parseJson(`{"a":${number}}`)).toEqual({ a: exact });
    }),
    { numRuns: 5_000 },
  );
});

test('a function of UTF-8 bytes is the same for a text as for its bytes', () => {
  const calls = ['md5', 'sha', 'sha224', 'sha256', 'sha512', 'toBase64'];
  const evaluatorOf = (call: string) =>
    compileExpression(parsed(call), { clock: new ManualClock() });
  fc.assert(
    fc.property(fc.constantFrom(...calls), fc.string({ unit: 'binary' }), (call, text) => {
      const ofBytes = evaluatorOf(`${call}(b)`)({ b: Buffer.from(text, 'utf8') });
      expect(evaluatorOf(`${call}(toUtf8(a))`)({ a: text })).toBe(ofBytes);
    }),
  );
});

test('a text is the same after it was bytes, also if it begins like a mark of its encoding', () => {
  const evaluate = compileExpression(parsed('fromUtf8(toUtf8(a))'), { clock: new ManualClock() });
  for (const text of ['\uFEFFa', 'é', '']) expect(evaluate({ a: text })).toBe(text);
});

function parsed(text: string): Expression {
  const { expression } = parseExpression(text);
  if (expression === undefined) throw new TypeError(`${text} is not an expression`);
  return expression;
}

test('days are counted as the runtime counts them', () => {
  const parts = fc.tuple(
    fc.integer({ min: -300_000, max: 300_000 }),
    fc.integer({ min: -2, max: 15 }),
    fc.integer({ min: -40, max: 400 }),
  );
  fc.assert(
    fc.property(parts, ([year, month, day]) => {
      expect(dateToMs(year, month, day)).toBe(new Date(0).setUTCFullYear(year, month - 1, day));
    }),
    { numRuns: 2_000 },
  );
});

/** Returns a comparable value, or the message of the only allowed error. */
function outcomeOf(evaluate: () => Value): unknown {
  try {
    return evaluate();
  } catch (error) {
    // An exception of the runtime fails only its row, but is still a defect of a function.
    const isDefect =
      error instanceof Error &&
      (error.cause instanceof TypeError || error.cause instanceof RangeError);
    if (isQuireError(error, 'EXPRESSION_FAILED') && !isDefect) return error.message;
    throw error;
  }
}

test('times in nanoseconds keep all their digits, before 1970 too', () => {
  const most = 9_200_000_000_000_000_000n;
  const toMs = 1_000_000n;
  const nanoseconds = fc.oneof(
    fc.bigInt({ min: -most, max: most }),
    fc.constantFrom(1_699_999_999_123_456_789n, -1n, -999_999n, -1_000_001n),
  );
  const convert = (target: string): string =>
    `dateTimeConvert(v, '1:NANOSECONDS:EPOCH', '1:${target}:EPOCH', '1:MILLISECONDS')`;
  fc.assert(
    fc.property(nanoseconds, fc.bigInt({ min: 1n, max: most }), (v, size) => {
      const ms = v / toMs;
      const seconds = ms / 1_000n - (ms % 1_000n < 0n ? 1n : 0n);
      const row = { v, size };
      const expected: readonly (readonly [expression: string, value: bigint])[] = [
        ['round(v, size)', v - (v % size)],
        [convert('NANOSECONDS'), ms * toMs],
        [convert('MILLISECONDS'), ms],
        [convert('SECONDS'), ms / 1_000n],
        ["dateTrunc('MILLISECOND', v, 'NANOSECONDS')", ms * toMs],
        ["dateTrunc('SECOND', v, 'NANOSECONDS', 'UTC')", seconds * 1_000n * toMs],
        ["dateTrunc('SECOND', v, 'NANOSECONDS', 'UTC', 'SECONDS')", seconds],
      ];
      const values = expected.map(([expression]) => [expression, evaluate(expression, row)]);
      expect(values).toEqual(expected);
    }),
  );
  const v = [1_699_999_999_123_456_789n, -1n];
  expect(evaluate('roundMV(v, 1000000)', { v })).toEqual([1_699_999_999_123_000_000n, 0n]);
  expect(evaluate("dateTruncMV('MILLISECOND', v, 'NANOSECONDS')", { v })).toEqual([
    1_699_999_999_123_000_000n,
    0n,
  ]);
});
