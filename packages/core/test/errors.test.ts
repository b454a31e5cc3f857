import { abortError, errorKinds, isQuireError, QuireError, throwIfAborted } from '@quire/core';
import { describe, expect, test } from 'vitest';
import type * as Errors from '../src/errors.ts';

describe('QuireError', () => {
  test('QuireError takes its kind from the table', () => {
    const cause = new Error('below');
    const error = new QuireError('STORE_FULL', 'There is no room.', { cause });
    expect({
      name: error.name,
      code: error.code,
      kind: error.kind,
      message: error.message,
      cause: error.cause,
    }).toEqual({
      name: 'QuireError',
      code: 'STORE_FULL',
      kind: 'unavailable',
      message: 'There is no room.',
      cause,
    });
  });

  test('codes are in capitals, so that they stand out as reasons on the wire', () => {
    for (const code of Object.keys(errorKinds)) expect(code).toMatch(/^[A-Z]+(_[A-Z]+)*$/);
  });
});

describe('isQuireError', () => {
  test('isQuireError tells a QuireError from others, and one code from another', () => {
    const error = new QuireError('ABORTED', 'Given up.');
    expect(isQuireError(error)).toBe(true);
    expect(isQuireError(error, 'STORE_FULL', 'ABORTED')).toBe(true);
    expect(isQuireError(error, 'STORE_FULL')).toBe(false);
    expect(isQuireError(new Error('ABORTED'))).toBe(false);
    expect(isQuireError({ name: 'QuireError', code: 'ABORTED' })).toBe(false);
    expect(isQuireError(undefined)).toBe(false);
  });

  test('isQuireError knows the errors of another copy of this package, as a plug-in may bring one', async () => {
    // A query makes Node load the module again.
    const copy = (await import(`../src/errors.ts?copy=${'1'}`)) as typeof Errors;
    const foreign = new copy.QuireError('STORE_FULL', 'There is no room.');
    expect(foreign instanceof QuireError).toBe(false);
    expect([
      isQuireError(foreign),
      isQuireError(foreign, 'STORE_FULL'),
      isQuireError(foreign, 'ABORTED'),
    ]).toEqual([true, true, false]);
    expect(copy.isQuireError(new QuireError('ABORTED', 'Given up.'), 'ABORTED')).toBe(true);
  });
});

describe('throwIfAborted', () => {
  test('throwIfAborted lets a signal pass that is not aborted, and none at all', () => {
    expect(() => throwIfAborted(undefined)).not.toThrow();
    expect(() => throwIfAborted(new AbortController().signal)).not.toThrow();
  });

  test('throwIfAborted throws the QuireError that the signal was aborted with', () => {
    const reason = new QuireError('QUERY_TIMED_OUT', 'Too slow.');
    expect(() => throwIfAborted(AbortSignal.abort(reason))).toThrow(reason);
    expect(abortError(AbortSignal.abort(reason))).toBe(reason);
  });

  test('throwIfAborted throws ABORTED for any other reason, which becomes the cause', () => {
    const reason = new Error('the client hung up');
    expect(() => throwIfAborted(AbortSignal.abort(reason))).toThrow(
      expect.objectContaining({ code: 'ABORTED', cause: reason }),
    );
  });
});
