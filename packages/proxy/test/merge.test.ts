import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { mergeLists, openList } from '../src/merge/merge-lists.ts';
import { splitElements } from '../src/merge/split-elements.ts';

/** Bytes in pieces of any sizes. */
async function* inPieces(bytes: Buffer, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  let start = 0;
  for (let turn = 0; start < bytes.length; turn += 1) {
    const end = start + (sizes[turn % sizes.length] ?? 1);
    yield bytes.subarray(start, end);
    start = end;
  }
}

const textsOf = async (elements: AsyncIterable<Uint8Array>): Promise<string[]> =>
  (await Array.fromAsync(elements)).map((element) => Buffer.from(element).toString());

const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 8 });
const jsonObject = fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 4 });

describe('splitElements', () => {
  test('splitElements finds the elements of any list, however its bytes arrive', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(jsonObject, { maxLength: 6 }),
        sizes,
        fc.boolean(),
        async (elements, pieceSizes, isSpaced) => {
          for (const shape of ['member', 'bare'] as const) {
            const json = JSON.stringify(
              shape === 'bare' ? elements : { resultMetadataList: elements },
              null,
              isSpaced ? 2 : 0,
            );
            const found = await textsOf(
              splitElements(inPieces(Buffer.from(json), pieceSizes), shape),
            );
            expect(found.map((text): unknown => JSON.parse(text))).toEqual(
              JSON.parse(JSON.stringify(elements)),
            );
          }
        },
      ),
    );
  });

  test.each([
    '',
    '{',
    '{"a":[',
    '{"a":[{}',
    '{"a":[{}]',
    '[{}]',
    '{"a":{}}',
    '{"a":[1]}',
    '{"a":["x"]}',
    '{"a":[[]]}',
    ']',
    'x',
  ])('splitElements refuses what is not a list, or not all of one: %j', async (text) => {
    await expect(
      textsOf(splitElements(inPieces(Buffer.from(text), [3]), 'member')),
    ).rejects.toMatchObject({
      code: 'BROKER_FAILED',
    });
  });

  test('splitElements refuses an element without end, long before it has taken all memory', async () => {
    let sentBytes = 0;
    async function* endless(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('{"a":[{"b":"');
      for (;;) {
        sentBytes += 1000;
        yield Buffer.alloc(1000, 0x78);
      }
    }
    await expect(textsOf(splitElements(endless(), 'member'))).rejects.toMatchObject({
      code: 'BROKER_FAILED',
    });
    expect(sentBytes).toBeLessThan(70_000);
  });
});

describe('mergeLists', () => {
  interface Entry {
    readonly submissionTimeMs: number;
    readonly requestId: string;
  }
  const entry = fc.record({
    submissionTimeMs: fc.integer({ min: 0, max: 20 }),
    requestId: fc.uuid({ version: 7 }),
  });
  const newestFirst = (one: Entry, other: Entry): number =>
    other.submissionTimeMs - one.submissionTimeMs || (one.requestId < other.requestId ? 1 : -1);
  async function* bytesOf(entries: readonly Entry[]): AsyncGenerator<Uint8Array> {
    for (const each of entries) yield Buffer.from(JSON.stringify(each));
  }

  test('mergeLists makes one list of several, newest first, with each result once', async () => {
    const lists = fc.array(
      fc.uniqueArray(entry, { selector: ({ requestId }) => requestId, maxLength: 8 }),
      { maxLength: 4 },
    );
    await fc.assert(
      fc.asyncProperty(lists, async (unsorted) => {
        const sorted = unsorted.map((list) => list.toSorted(newestFirst));
        const opened = await Promise.all(sorted.map((list) => openList(bytesOf(list))));
        const merged = await Array.fromAsync(mergeLists([...opened]));
        const expected = unsorted.flat().toSorted(newestFirst);
        expect(merged.map(({ requestId }) => requestId)).toEqual(
          expected.map(({ requestId }) => requestId),
        );
      }),
    );
  });

  test('mergeLists has what two brokers with one store both list once', async () => {
    const list = [
      { submissionTimeMs: 2, requestId: 'b' },
      { submissionTimeMs: 1, requestId: 'a' },
    ];
    const opened = await Promise.all(
      [list, list, list.slice(1)].map((each) => openList(bytesOf(each))),
    );
    const merged = await Array.fromAsync(mergeLists(opened));
    expect(merged.map(({ requestId }) => requestId)).toEqual(['b', 'a']);
  });

  test('openList lets go of a list whose first entry is not a result', async () => {
    let isOpen = true;
    async function* entries(): AsyncGenerator<Uint8Array> {
      try {
        for (;;) yield Buffer.from('{}');
      } finally {
        isOpen = false;
      }
    }
    await expect(openList(entries())).rejects.toMatchObject({ code: 'BROKER_FAILED' });
    expect(isOpen).toBe(false);
  });

  test('mergeLists lets go of all lists when nobody reads on', async () => {
    let openCount = 0;
    async function* counted(): AsyncGenerator<Uint8Array> {
      openCount += 1;
      try {
        for (let time = 9; ; time -= 1) {
          yield Buffer.from(JSON.stringify({ submissionTimeMs: time, requestId: String(time) }));
        }
      } finally {
        openCount -= 1;
      }
    }
    const opened = await Promise.all([openList(counted()), openList(counted())]);
    expect(openCount).toBe(2);
    for await (const each of mergeLists(opened)) if (each.submissionTimeMs < 5) break;
    expect(openCount).toBe(0);
  });
});
