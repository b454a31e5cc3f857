import { type ErrorCode, errorKinds } from '@quire/core';
import { describe, expect, it } from 'vitest';
import { errorCodeOfException, errorStatuses, exceptionNumberOf } from '../src/index.ts';

const codes = Object.keys(errorKinds) as ErrorCode[];

describe('errorStatuses', () => {
  it('errorStatuses has a failure status for every error code', () => {
    expect(Object.keys(errorStatuses)).toEqual(codes);
    expect(
      codes.filter((code) => !(errorStatuses[code] >= 400 && errorStatuses[code] <= 599)),
    ).toEqual([]);
  });

  it('errorStatuses gives the statuses of the contract', () => {
    const named: Partial<Record<ErrorCode, number>> = {
      INVALID_PARAMETER: 400,
      INVALID_BODY: 400,
      UNAUTHENTICATED: 401,
      FORBIDDEN: 403,
      RESULT_NOT_FOUND: 404,
      ROUTE_NOT_FOUND: 404,
      NOT_ACCEPTABLE: 406,
      RESULT_EXPIRED: 410,
      RESULT_EVICTED: 410,
      RESULT_DELETED: 410,
      BODY_TOO_LARGE: 413,
      OFFSET_OUT_OF_RANGE: 416,
      TOO_MANY_QUERIES: 429,
      HEADERS_TOO_LARGE: 431,
      RESULT_CORRUPT: 500,
      TABLE_DAMAGED: 500,
      INTERNAL: 500,
      SHUTTING_DOWN: 503,
      STORE_UNAVAILABLE: 503,
      STORE_FULL: 507,
    };
    expect(errorStatuses).toMatchObject(named);
  });

  it('errorStatuses blames the caller for invalid requests and the server for corrupt data, never the other way round', () => {
    const misplaced = codes.filter((code) => {
      const status = errorStatuses[code];
      return errorKinds[code] === 'corrupt' || errorKinds[code] === 'internal'
        ? status < 500
        : false;
    });
    expect(misplaced).toEqual([]);
  });
});

describe('exceptionNumberOf', () => {
  it.each([
    ['QUERY_SYNTAX', 150],
    ['TABLE_NOT_FOUND', 190],
    ['QUERY_FAILED', 200],
    ['QUERY_LIMIT_EXCEEDED', 245],
    ['QUERY_TIMED_OUT', 250],
    ['TOO_MANY_QUERIES', 429],
    ['INTERNAL', 450],
    ['QUERY_CANCELLED', 503],
    ['QUERY_INVALID', 700],
    ['COLUMN_NOT_FOUND', 710],
  ] as const)('exceptionNumberOf numbers %s %i, and back', (code, number) => {
    expect(exceptionNumberOf(code)).toBe(number);
    expect(errorCodeOfException(number)).toBe(code);
  });

  it('exceptionNumberOf takes a full store as an exceeded limit', () => {
    expect(exceptionNumberOf('STORE_FULL')).toBe(245);
  });

  it('exceptionNumberOf takes what it does not number as internal', () => {
    expect(exceptionNumberOf('STORE_UNAVAILABLE')).toBe(450);
  });

  it('exceptionNumberOf takes the numbers of other servers as a failed query', () => {
    expect(errorCodeOfException(160)).toBe('QUERY_FAILED');
  });

  it.each([210, 235, 305, 427])(
    'errorCodeOfException takes %i of a cluster as an engine to ask again',
    (number) => {
      expect(errorCodeOfException(number)).toBe('ENGINE_UNAVAILABLE');
    },
  );
});
