import { createRequestId, isObjectKey, isRequestId, systemClock, systemRandom } from '@quire/core';
import { ManualClock, SeededRandom } from '@quire/core/testing';
import { describe, expect, test } from 'vitest';

describe('createRequestId', () => {
  test('makes a UUID of version 7 that holds the time, and is a key segment', () => {
    const nowMs = Date.UTC(2026, 3, 5);
    const id = createRequestId(new ManualClock({ nowMs }), new SeededRandom(1));
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(Number.parseInt(id.replace('-', '').slice(0, 12), 16)).toBe(nowMs);
    expect(isRequestId(id)).toBe(true);
    expect(isObjectKey(id)).toBe(true);
  });

  test('an id of a later millisecond sorts later', async () => {
    const clock = new ManualClock();
    const random = new SeededRandom(1);
    const ids: string[] = [];
    for (let index = 0; index < 20; index += 1) {
      ids.push(createRequestId(clock, random));
      await clock.advance(1);
    }
    expect(ids).toEqual(ids.toSorted());
  });

  test('ids do not repeat', () => {
    const ids = Array.from({ length: 1000 }, () => createRequestId(systemClock, systemRandom));
    expect(new Set(ids).size).toBe(1000);
  });
});

describe('isRequestId', () => {
  const id = '018f9a3c-2f00-7abc-8def-0123456789ab';

  test.each([
    id.toUpperCase(),
    `${id} `,
    `${id}\n`,
    ` ${id}`,
    `{${id}}`,
    id.replaceAll('-', ''),
    id.replace('7abc', '4abc'),
    id.replace('8def', 'cdef'),
    `../${id}`,
    '',
    '..',
    '%2e%2e%2f',
    '\0',
    'a'.repeat(4096),
  ])('%j is not one', (text) => {
    expect(isRequestId(text)).toBe(false);
  });

  test('the exact spelling is one', () => {
    expect(isRequestId(id)).toBe(true);
  });
});
