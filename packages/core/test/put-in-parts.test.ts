import { QuireError } from '@quire/core';
import { expect, test } from 'vitest';
import { putInParts, type PutInPartsOptions } from '../src/bucket/put-in-parts.ts';

/** A server that records its requests. */
class Upload {
  readonly log: string[] = [];
  fail: ((error: unknown) => void) | undefined;
  addFailure: Error | undefined;

  options(changes: Partial<PutInPartsOptions<string>> = {}): PutInPartsOptions<string> {
    return {
      partBytes: 4,
      signal: undefined,
      assertAlive: () => undefined,
      putWhole: async (bytes) => {
        this.log.push(`whole ${bytes.byteLength}`);
        return 'whole';
      },
      beginUpload: async (_, fail) => {
        this.log.push('begin');
        this.fail = fail;
        return {
          add: async ({ bytes, isLast }) => {
            this.log.push(`add ${bytes.byteLength}${isLast ? ', the last' : ''}`);
            if (this.addFailure !== undefined) throw this.addFailure;
          },
          complete: async () => {
            this.log.push('complete');
            return 'parts';
          },
          abort: async () => void this.log.push('abort'),
        };
      },
      ...changes,
    };
  }
}

/** Yields chunks of 3 bytes, and reports an early close. */
async function* source(
  chunkCount: number,
  onClose: () => void = () => undefined,
): AsyncGenerator<Uint8Array> {
  let isOver = false;
  try {
    for (let count = 0; count < chunkCount; count += 1) yield new Uint8Array(3);
    isOver = true;
  } finally {
    if (!isOver) onClose();
  }
}

test('what fits in a part is put by one request', async () => {
  const upload = new Upload();
  expect([
    await putInParts(source(1), upload.options()),
    await putInParts(source(0), upload.options()),
  ]).toEqual(['whole', 'whole']);
  expect(upload.log).toEqual(['whole 3', 'whole 0']);
});

test('what does not fit is uploaded in parts', async () => {
  const upload = new Upload();
  expect(await putInParts(source(3), upload.options())).toBe('parts');
  expect(upload.log).toEqual(['begin', 'add 4', 'add 4', 'add 1, the last', 'complete']);
});

test("a source's own failure comes out unchanged, and ends the upload", async () => {
  const upload = new Upload();
  const failure = new Error('The rows are gone.');
  async function* failing(): AsyncGenerator<Uint8Array> {
    yield* source(3);
    throw failure;
  }
  await expect(putInParts(failing(), upload.options())).rejects.toBe(failure);
  expect(upload.log).toEqual(['begin', 'add 4', 'add 4', 'abort']);
});

test('a part that fails in the background ends a source that would go on for ever', async () => {
  const upload = new Upload();
  let isClosed = false;
  async function* stuck(): AsyncGenerator<Uint8Array> {
    yield* source(3);
    upload.fail?.(new QuireError('STORE_UNAVAILABLE', 'The part is lost.'));
    yield* source(Number.POSITIVE_INFINITY, () => (isClosed = true));
  }
  await expect(putInParts(stuck(), upload.options())).rejects.toMatchObject({
    code: 'STORE_UNAVAILABLE',
  });
  expect([upload.log.at(-1), isClosed]).toEqual(['abort', true]);
});

test('a part that cannot be added ends the source and the upload', async () => {
  const upload = new Upload();
  upload.addFailure = new QuireError('STORE_FULL', 'No room.');
  let isClosed = false;
  await expect(
    putInParts(
      source(9, () => (isClosed = true)),
      upload.options(),
    ),
  ).rejects.toMatchObject({ code: 'STORE_FULL' });
  expect([upload.log, isClosed]).toEqual([['begin', 'add 4', 'abort'], true]);
});

test('an aborted put, and one whose store was closed, end the upload', async () => {
  for (const stop of ['abort', 'close']) {
    const upload = new Upload();
    const controller = new AbortController();
    const assertAlive = (): void => {
      if (upload.log.length < 3) return;
      if (stop === 'abort') controller.abort();
      else throw new QuireError('SHUTTING_DOWN', 'The store is closed.');
    };
    const code = stop === 'abort' ? 'ABORTED' : 'SHUTTING_DOWN';
    await expect(
      putInParts(source(99), upload.options({ assertAlive, signal: controller.signal })),
    ).rejects.toMatchObject({
      code,
    });
    expect(upload.log).toEqual(['begin', 'add 4', 'add 4', 'abort']);
  }
});
