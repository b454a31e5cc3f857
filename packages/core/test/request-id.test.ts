import {
  createRequestId,
  isObjectKey,
  isRequestId,
  ownerTagAt,
  ownerTagOf,
  type RequestId,
  systemClock,
  systemRandom,
  timeOfRequestId,
} from '@quire/core';
import { ManualClock, SeededRandom } from '@quire/core/testing';
import { v7 } from 'uuid';
import { describe, expect, test } from 'vitest';

describe('createRequestId', () => {
  test('createRequestId makes a UUID of version 7 that holds the time, and is a key segment', () => {
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

describe('an id with an owner tag', () => {
  test.each([0, 1, 0x1a2b3c4d, 0x7fffffff, 0x80000000, 0xffffffff])(
    'an id with an owner tag returns %i, and is a request id that holds the time',
    (tag) => {
      const nowMs = Date.UTC(2026, 3, 5);
      const id = createRequestId(new ManualClock({ nowMs }), new SeededRandom(tag), tag);
      expect(isRequestId(id)).toBe(true);
      expect(timeOfRequestId(id)).toBe(nowMs);
      expect(ownerTagOf(id)).toBe(tag);
      expect(id.slice(24, 32)).toBe(tag.toString(16).padStart(8, '0'));
      const bytes = Uint8Array.of(7, 7, 7, ...Buffer.from(id.replaceAll('-', ''), 'hex'));
      expect(ownerTagAt(bytes, 3)).toBe(tag);
    },
  );

  test('an id with an owner tag is another one each time', () => {
    const ids = Array.from({ length: 1000 }, () => createRequestId(systemClock, systemRandom, 1));
    expect(new Set(ids).size).toBe(1000);
  });

  test('an id with an owner tag is as the format of results says, byte by byte', () => {
    // 1*01 + 2*8f + 3*9a + 4*3c + 5*2f + 7*7a + 8*bc + 10*ef + 11*01 + 12*23 + 13*45 + 14*67 +
    // 15*89 + 16*ab = 13,533 = 221 * 61 + 52
    expect(ownerTagOf('018f9a3c-2f00-7abc-b4ef-0123456789ab' as RequestId)).toBe(0x01234567);
    expect(ownerTagOf('018f9a3c-2f00-7abc-b5ef-0123456789ab' as RequestId)).toBe(undefined);
  });

  test('an id with an owner tag is told from one that was created without', () => {
    const random = new SeededRandom(7);
    const clock = new ManualClock();
    for (let index = 0; index < 1000; index += 1) {
      expect(ownerTagOf(createRequestId(clock, random))).toBe(undefined);
    }
  });

  test('an id with an owner tag is told from one of an earlier release, by all but one of 64', () => {
    const random = new SeededRandom(7);
    const ids = Array.from({ length: 6400 }, () => v7({ random: random.bytes(16) }) as RequestId);
    const taken = ids.filter((id) => ownerTagOf(id) !== undefined).length;
    expect(taken).toBeGreaterThan(50);
    expect(taken).toBeLessThan(150);
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
  ])('isRequestId: %j is not one', (text) => {
    expect(isRequestId(text)).toBe(false);
  });

  test('isRequestId takes the exact spelling', () => {
    expect(isRequestId(id)).toBe(true);
  });
});
