import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseQueryOptions, QueryBody, RenewBody } from '@quire/api';
import { parseDurationMs } from '@quire/core/portable';

/** The server accepts exactly the requests that are valid by the document. */

const ajv = new Ajv2020({ strict: false, formats: { int32: true, int64: true } });

function isTaken(parse: () => unknown): boolean {
  try {
    parse();
    return true;
  } catch {
    return false;
  }
}

describe('texts that a document describes by a pattern', () => {
  const isValidQuery = ajv.compile(QueryBody);
  const isValidRenewal = ajv.compile(RenewBody);
  const pieces = (...texts: readonly string[]) =>
    fc.array(fc.constantFrom(...texts), { maxLength: 8 }).map((chosen) => chosen.join(''));

  test('queryOptions: pairs with semicolons between', () => {
    const options = fc.oneof(pieces('r', 'a=b', ';', '=', ' ', 'x y', '\n'), fc.string());
    fc.assert(
      fc.property(options, (queryOptions) => {
        fc.pre(!/timeoutMs|getCursor|cursorNumRows/.test(queryOptions));
        expect(isValidQuery({ sql: 'SELECT 1', queryOptions })).toBe(
          isTaken(() => parseQueryOptions(queryOptions)),
        );
      }),
      { numRuns: 2000 },
    );
    expect(isValidQuery({ sql: 'SELECT 1', queryOptions: 'r' })).toBe(false);
  });

  test('a pattern costs little, whatever it is held against', () => {
    for (const text of [
      'a'.repeat(1_000_000),
      ' '.repeat(1_000_000),
      'a=b;'.repeat(250_000),
      `${';'.repeat(1_000_000)}r`,
    ]) {
      expect(isValidQuery({ sql: 'SELECT 1', queryOptions: text })).toBe(
        isTaken(() => parseQueryOptions(text)),
      );
    }
  });

  test('expiration: a duration that is not zero', () => {
    const durations = pieces('1', '0', '20', 'd', 'h', 'm', 's', 'ms', ' ', '-', '2h');
    fc.assert(
      fc.property(durations, (expiration) => {
        expect(isValidRenewal({ expiration })).toBe(
          isTaken(() => parseDurationMs(expiration)) && parseDurationMs(expiration) > 0,
        );
      }),
      { numRuns: 2000 },
    );
    expect(
      ['0', '0s', '1x', '2h', '30m'].map((expiration) => isValidRenewal({ expiration })),
    ).toEqual([false, false, false, true, true]);
  });

  test('trace: a boolean, or its word', () => {
    const values = [true, false, 'true', 'false', 'yes', 1, null];
    expect(values.map((trace) => isValidQuery({ sql: 'SELECT 1', trace }))).toEqual([
      true,
      true,
      true,
      true,
      false,
      false,
      false,
    ]);
  });
});
