import { sourceChunks } from '@quire/core';
import { collect } from '@quire/core/testing';
import { describe, expect, test } from 'vitest';
import { bytes } from './stub-store.ts';

/** Creates a source of three chunks that records its use. */
function noting(log: string[]): AsyncIterable<Uint8Array> {
  const chunks = [bytes(1), bytes(2), bytes(3)];
  return {
    [Symbol.asyncIterator]: () => ({
      next: async () => {
        log.push('pulled');
        const value = chunks.shift();
        return value === undefined ? { done: true, value } : { done: false, value };
      },
      return: async () => {
        log.push('closed');
        return { done: true, value: undefined };
      },
    }),
  };
}

describe('sourceChunks', () => {
  test('sourceChunks gives bytes as one chunk, and none when there are none', async () => {
    expect(await collect(sourceChunks(bytes(1, 2), undefined))).toEqual([bytes(1, 2)]);
    expect(await collect(sourceChunks(bytes(), undefined))).toEqual([]);
  });

  test('sourceChunks pulls a source to its end, and does not close what has ended', async () => {
    const log: string[] = [];
    expect(await collect(sourceChunks(noting(log), undefined))).toEqual([
      bytes(1),
      bytes(2),
      bytes(3),
    ]);
    expect(log).toEqual(['pulled', 'pulled', 'pulled', 'pulled']);
  });

  test('sourceChunks closes a source that its reader leaves', async () => {
    const log: string[] = [];
    for await (const _ of sourceChunks(noting(log), new AbortController().signal)) break;
    expect(log).toEqual(['pulled', 'closed']);
  });

  test('an abort in the reader’s turn ends it before the next pull', async () => {
    const log: string[] = [];
    const controller = new AbortController();
    const reading = async (): Promise<void> => {
      for await (const _ of sourceChunks(noting(log), controller.signal)) controller.abort();
    };
    await expect(reading()).rejects.toMatchObject({ code: 'ABORTED' });
    expect(log).toEqual(['pulled', 'closed']);
  });

  test('a source that fails is not closed: it has ended itself', async () => {
    const failure = new Error('the source failed');
    let isClosed = false;
    const source = {
      [Symbol.asyncIterator]: () => ({
        next: () => Promise.reject(failure),
        return: async () => {
          isClosed = true;
          return { done: true as const, value: undefined };
        },
      }),
    };
    await expect(collect(sourceChunks(source, undefined))).rejects.toBe(failure);
    await expect(collect(sourceChunks(source, new AbortController().signal))).rejects.toBe(failure);
    expect(isClosed).toBe(false);
  });

  test('sourceChunks leaves no listener on a signal that outlives it', async () => {
    const { signal } = new AbortController();
    let listenerCount = 0;
    const counting = new Proxy(signal, {
      get: (target, name) => {
        if (name === 'addEventListener') listenerCount += 1;
        if (name === 'removeEventListener') listenerCount -= 1;
        const value = Reflect.get(target, name) as unknown;
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      },
    });
    await collect(sourceChunks(noting([]), counting));
    expect(listenerCount).toBe(0);
  });
});
