import { readObject } from '@quire/core';
import { describe, expect, test } from 'vitest';
import { bodyOf, bytes, stubStore } from './stub-store.ts';

function storeOf(chunks: Uint8Array[], onRelease?: () => void): ReturnType<typeof stubStore> {
  return stubStore({ get: async () => bodyOf(chunks, onRelease) });
}

describe('readObject', () => {
  test('readObject hands on one aligned chunk as it is', async () => {
    const chunk = new Uint8Array(new ArrayBuffer(64), 16, 3);
    expect(await readObject(storeOf([chunk]), 'k')).toBe(chunk);
  });

  test('a chunk at an odd address is moved to one that typed arrays can use', async () => {
    const chunk = new Uint8Array(Uint8Array.of(9, 1, 2, 3).buffer, 1, 3);
    const whole = await readObject(storeOf([chunk]), 'k');
    expect(whole).toEqual(bytes(1, 2, 3));
    expect(whole.byteOffset % 8).toBe(0);
  });

  test('readObject joins chunks', async () => {
    expect(await readObject(storeOf([bytes(1, 2), bytes(3), bytes(4, 5, 6)]), 'k')).toEqual(
      bytes(1, 2, 3, 4, 5, 6),
    );
  });

  test('an empty object is an empty array', async () => {
    expect(await readObject(storeOf([]), 'k')).toEqual(new Uint8Array(0));
  });

  test.each([
    ['fewer', [bytes(1), bytes(2)], 'only 2'],
    ['none', [], 'only 0'],
    ['more, at once', [bytes(1, 2, 3, 4)], 'more than'],
    ['more, at the end', [bytes(1, 2, 3), bytes(4)], 'more than'],
  ])('readObject: %s than the range are OBJECT_SHORT_READ', async (_, chunks, amount) => {
    let isReleased = false;
    const store = storeOf(chunks, () => (isReleased = true));
    await expect(readObject(store, 'k', { range: { start: 10, end: 13 } })).rejects.toMatchObject({
      code: 'OBJECT_SHORT_READ',
      message: expect.stringContaining(`k in stub: returned ${amount}`) as string,
    });
    expect(isReleased).toBe(true);
  });
});
