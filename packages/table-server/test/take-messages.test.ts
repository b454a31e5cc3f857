import fc from 'fast-check';
import { expect, test } from 'vitest';
import { takeMessages } from '../src/consumption/take-messages.ts';
import type { ConsumingRecord } from '../src/segments/manifest.ts';

/** The effects of a message on the process that handles it. */
type Kind = 'good' | 'bad' | 'poisonous' | 'unlucky';

interface Taken {
  readonly offsets: readonly number[];
  readonly endOffset: number;
  readonly bad: readonly number[];
  readonly lostCount: number;
  readonly stoppedAt: number | undefined;
}

/** Offsets grow by three. */
async function take(kinds: readonly Kind[], continueOnError: boolean): Promise<Taken> {
  const kindOf = (offset: number): Kind | undefined => kinds[offset / 3];
  const unlucky = new Set(kinds.flatMap((kind, index) => (kind === 'unlucky' ? [index * 3] : [])));
  const [offsets, bad]: [number[], number[]] = [[], []];
  let [reached, lostCount] = [0, 0];
  const segment: Parameters<typeof takeMessages>[2]['segment'] = {
    get record() {
      return { endOffset: reached } as ConsumingRecord;
    },
    async add(messages, endOffset) {
      const given = messages.map(({ offset }) => offset);
      // An unlucky message is processed when the process ends once for another reason.
      if (given.some((offset) => kindOf(offset) === 'poisonous' || unlucky.delete(offset))) {
        return { lost: 'It was ended.' };
      }
      const first = continueOnError ? undefined : given.find((offset) => kindOf(offset) === 'bad');
      const skipped = continueOnError ? given.filter((offset) => kindOf(offset) === 'bad') : [];
      offsets.push(
        ...given.filter((offset) => kindOf(offset) !== 'bad' && offset < (first ?? Infinity)),
      );
      reached = first ?? endOffset;
      const messageAt = (offset: number) => ({ offset, problem: 'is bad' });
      return {
        skipped: skipped.slice(0, 1).map(messageAt),
        skippedCount: skipped.length,
        stoppedAt: first === undefined ? undefined : messageAt(first),
      };
    },
  };
  const stoppedAt = await takeMessages(
    kinds.map((_, index) => ({ offset: index * 3, value: null })),
    kinds.length * 3,
    {
      segment,
      readDocuments: async () => ({
        config: { tableName: 't', ingestionConfig: { continueOnError } },
        schema: { schemaName: 't' },
      }),
      onBad: (messages, count) => {
        for (let index = 0; index < count; index += 1) bad.push(messages[0]?.offset ?? -1);
      },
      onLost: () => (lostCount += 1),
    },
  );
  return { offsets, endOffset: reached, bad, lostCount, stoppedAt: stoppedAt?.offset };
}

const kinds = fc.array(
  fc.oneof(
    { weight: 40, arbitrary: fc.constant<Kind>('good') },
    { weight: 2, arbitrary: fc.constantFrom<Kind>('bad', 'poisonous', 'unlucky') },
  ),
  { maxLength: 300 },
);
const isGood = (kind: Kind | undefined): boolean => kind === 'good' || kind === 'unlucky';

test('where bad messages are skipped, all others are taken once and in order, whatever their neighbours do to a process', async () => {
  await fc.assert(
    fc.asyncProperty(kinds, async (given) => {
      const taken = await take(given, true);
      expect(taken.offsets).toEqual(
        given.flatMap((kind, index) => (isGood(kind) ? [index * 3] : [])),
      );
      expect(taken.bad.length).toBe(given.filter((kind) => !isGood(kind)).length);
      expect([taken.endOffset, taken.stoppedAt]).toEqual([given.length * 3, undefined]);
    }),
  );
});

test('else consumption stops at the first bad or poisonous message, with all before it taken once', async () => {
  await fc.assert(
    fc.asyncProperty(kinds, async (given) => {
      const taken = await take(given, false);
      const first = given.findIndex((kind) => !isGood(kind));
      const end = first < 0 ? given.length : first;
      expect(taken.offsets).toEqual(Array.from({ length: end }, (_, index) => index * 3));
      expect([taken.endOffset, taken.stoppedAt]).toEqual([
        end * 3,
        first < 0 ? undefined : first * 3,
      ]);
    }),
  );
});

test('one poisonous message of 25,000 costs a handful of processes', async () => {
  const given = Array.from({ length: 25_000 }, (_, index): Kind =>
    index === 17_001 ? 'poisonous' : 'good',
  );
  const { offsets, bad, lostCount } = await take(given, true);
  expect([offsets.length, bad, lostCount]).toEqual([24_999, [17_001 * 3], 7]);
});
