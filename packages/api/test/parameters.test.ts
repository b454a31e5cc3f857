import type { QuireError } from '@quire/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  formatPageParameters,
  parseBooleanParameter,
  parseFormat,
  parseIntegerParameter,
  parseOffset,
  parseRowCount,
  type RawParameter,
} from '../src/index.ts';

function refusalOf(parse: () => unknown): { code: string; message: string } {
  try {
    return { code: 'none', message: `it gave ${String(parse())}` };
  } catch (error) {
    const { code, message } = error as QuireError;
    return { code, message };
  }
}

const notIntegers: readonly [RawParameter, string][] = [
  ['', "''"],
  ['-1', "'-1'"],
  ['-0', "'-0'"],
  ['+1', "'+1'"],
  [' 1', "' 1'"],
  ['1.5', "'1.5'"],
  ['1e3', "'1e3'"],
  ['0x10', "'0x10'"],
  ['1_000', "'1_000'"],
  ['١', "'١'"],
  ['NaN', "'NaN'"],
  ['Infinity', "'Infinity'"],
  [`${'9'.repeat(50)}x`, `'${'9'.repeat(40)}…'`],
];

describe('parseOffset', () => {
  it.each([
    ['0', 0],
    ['007', 7],
    ['2147483648', 2 ** 31],
    ['9007199254740991', Number.MAX_SAFE_INTEGER],
    ['9007199254740992', Number.MAX_SAFE_INTEGER],
    ['9'.repeat(4096), Number.MAX_SAFE_INTEGER],
  ])('parseOffset reads %s', (text, offset) => {
    expect(parseOffset(text)).toBe(offset);
  });

  it.each(notIntegers)(
    'parseOffset refuses %j, naming parameter, value and expectation',
    (value, shown) => {
      expect(refusalOf(() => parseOffset(value))).toEqual({
        code: 'INVALID_PARAMETER',
        message: `offset is ${shown}; expected an integer ≥ 0.`,
      });
    },
  );

  it('parseOffset refuses an absent value', () => {
    expect(refusalOf(() => parseOffset(undefined))).toEqual({
      code: 'INVALID_PARAMETER',
      message: 'offset is missing; expected an integer ≥ 0.',
    });
  });

  it('parseOffset refuses a value that is given twice', () => {
    expect(refusalOf(() => parseOffset(['1', '2']))).toEqual({
      code: 'INVALID_PARAMETER',
      message: 'offset is given 2 times; expected an integer ≥ 0, once.',
    });
  });

  it('parseOffset takes back every page that formatPageParameters wrote', () => {
    const integer = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER });
    fc.assert(
      fc.property(
        integer,
        fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
        (offset, rowCount) => {
          const parameters = new URLSearchParams(formatPageParameters({ offset, rowCount }));
          expect(parseOffset(parameters.getAll('offset'))).toBe(offset);
          expect(parseRowCount(parameters.getAll('numRows'))).toBe(rowCount);
        },
      ),
    );
  });

  it('parseOffset either gives a safe integer or refuses, whatever the text', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const isInteger = /^[0-9]+$/.test(text);
        expect(refusalOf(() => parseOffset(text)).code).toBe(
          isInteger ? 'none' : 'INVALID_PARAMETER',
        );
      }),
    );
  });
});

describe('parseRowCount', () => {
  it('parseRowCount takes absent and 0 as the configured page size', () => {
    expect([parseRowCount(undefined), parseRowCount('0'), parseRowCount('00')]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('parseRowCount takes more rows than can be counted as all of them', () => {
    expect(parseRowCount('9223372036854775807')).toBe(Number.MAX_SAFE_INTEGER);
  });

  it.each([
    ['9223372036854775808', "'9223372036854775808'"],
    ['9'.repeat(4096), `'${'9'.repeat(40)}…'`],
  ])('parseRowCount refuses what has more than 64 bits: %s', (value, shown) => {
    expect(refusalOf(() => parseRowCount(value))).toEqual({
      code: 'INVALID_PARAMETER',
      message: `numRows is ${shown}; expected an integer from 0 to 9223372036854775807.`,
    });
  });

  it.each(notIntegers)('parseRowCount refuses %j', (value, shown) => {
    expect(refusalOf(() => parseRowCount(value)).message).toBe(
      `numRows is ${shown}; expected an integer ≥ 0.`,
    );
  });
});

describe('parseIntegerParameter', () => {
  it('parseIntegerParameter names the parameter that it is given', () => {
    expect(parseIntegerParameter('expiredBefore', '1760000000000')).toBe(1760000000000);
    expect(refusalOf(() => parseIntegerParameter('expiredBefore', 'now')).message).toBe(
      "expiredBefore is 'now'; expected an integer ≥ 0.",
    );
  });
});

describe('parseBooleanParameter', () => {
  it('parseBooleanParameter reads true, false and nothing, in any case, and 1 and 0', () => {
    expect(
      ['TRUE', '1', 'False', '0'].map((value) => parseBooleanParameter('doPaginate', value)),
    ).toEqual([true, true, false, false]);
    expect(
      ['true', 'false', undefined].map((value) => parseBooleanParameter('doPaginate', value)),
    ).toEqual([true, false, undefined]);
  });

  it.each(['', '2', '01', 'yes', ' true'])('parseBooleanParameter refuses %j', (value) => {
    expect(refusalOf(() => parseBooleanParameter('doPaginate', value))).toEqual({
      code: 'INVALID_PARAMETER',
      message: `doPaginate is '${value}'; expected true or false.`,
    });
  });

  it('parseBooleanParameter refuses a value that is given twice', () => {
    expect(refusalOf(() => parseBooleanParameter('doPaginate', ['true', 'true'])).message).toBe(
      'doPaginate is given 2 times; expected true or false, once.',
    );
  });
});

describe('parseFormat', () => {
  it('parseFormat reads each format', () => {
    expect(
      ['json', 'arrow', 'csv', 'ndjson', undefined].map((value) => parseFormat(value)),
    ).toEqual(['json', 'arrow', 'csv', 'ndjson', undefined]);
  });

  it('parseFormat refuses others, naming the choices', () => {
    expect(refusalOf(() => parseFormat('xml'))).toEqual({
      code: 'INVALID_PARAMETER',
      message: "format is 'xml'; expected one of json, arrow, csv, ndjson, parquet.",
    });
  });
});
