import { isQuireError } from '@quire/core';
import type { FetchedMessages, FetchLimits, MessageStream, StreamMessage } from '@quire/streams';
import { describe, expect, test } from 'vitest';
import { expectRejection } from '@quire/core/conformance';
import type { OpenStreamFixture } from './stream-fixture.ts';

const plenty: FetchLimits = { messagesMax: 100_000, bytesMax: 64 * 1024 * 1024, waitMs: 0 };
/** Long enough for a message in flight; no test waits for its end. */
const longWait: FetchLimits = { ...plenty, waitMs: 20_000 };

/**
 * Tests a stream against every sentence of the port `MessageStream`; a new kind of stream is passed
 * to this function.
 */
export function describeMessageStream(name: string, open: OpenStreamFixture): void {
  describe(name, () => {
    describePartitions(open);
    describeFetching(open);
    describeOffsets(open);
    describeChanges(open);
  });
}

function describePartitions(open: OpenStreamFixture): void {
  describe('partitions', () => {
    test('partitions are listed in ascending order, with the range that may be fetched; an empty one has an empty range', async () => {
      await using fixture = await open();
      const { stream } = fixture;
      await fixture.append(1, ['{"a":1}', '{"a":2}']);
      const partitions = await stream.readPartitions();
      const [empty, filled] = partitions;
      expect(partitions.map(({ partition }) => partition)).toEqual([0, 1]);
      expect(empty?.earliestOffset).toBe(empty?.latestOffset);
      expect(filled?.earliestOffset).toBeLessThan(filled?.latestOffset ?? 0);
      expect(textsOf(await stream.fetch(1, filled?.earliestOffset ?? 0, plenty))).toEqual([
        '{"a":1}',
        '{"a":2}',
      ]);
    });

    test('partitions that do not exist are STREAM_INVALID, in every call', async () => {
      await using fixture = await open();
      const { stream } = fixture;
      await expectStreamFailure(stream.fetch(7, 0, plenty), stream);
      await expectStreamFailure(stream.findOffset(7, 0), stream);
      await expectStreamFailure(stream.countMessages(7, 0, 1), stream);
    });

    test('partitions that are added show, and hold messages', async () => {
      await using fixture = await open();
      await fixture.addPartition();
      await fixture.append(2, ['{"new":1}']);
      expect((await fixture.stream.readPartitions()).map(({ partition }) => partition)).toEqual([
        0, 1, 2,
      ]);
      expect(textsOf(await fixture.stream.fetch(2, 0, plenty))).toEqual(['{"new":1}']);
    });
  });
}

function describeFetching(open: OpenStreamFixture): void {
  describe('fetch', () => {
    test('fetch gives messages in order, byte for byte, each again from its offset', async () => {
      await using fixture = await open();
      const { stream } = fixture;
      const values = ['{"a":1}', '{"text":"żółć 🐙"}', '{"wide":12345678901234567890}', 'not json'];
      await fixture.append(0, values);
      const all = await stream.fetch(0, 0, plenty);
      expect(textsOf(all)).toEqual(values);
      expect(all.nextOffset).toBe(all.latestOffset);
      for (const [index, message] of all.messages.entries()) {
        const again = await stream.fetch(0, message.offset, plenty);
        expect(again.messages).toEqual(all.messages.slice(index));
      }
    });

    test('fetch keeps the limits, and goes on where it stopped: every message comes once', async () => {
      await using fixture = await open();
      const values = Array.from({ length: 500 }, (_, index) =>
        JSON.stringify({ index, pad: 'x'.repeat(index % 50) }),
      );
      await fixture.append(0, values.slice(0, 123));
      await fixture.append(0, values.slice(123));
      for (const limits of [
        { messagesMax: 7, bytesMax: 1_000_000, waitMs: 0 },
        { messagesMax: 1000, bytesMax: 300, waitMs: 0 },
        { messagesMax: 1, bytesMax: 1, waitMs: 0 },
      ]) {
        const messages = await walk(fixture.stream, 0, limits);
        expect(messages.map(textOf)).toEqual(values);
        expect(
          messages.every(
            ({ offset }, index) => index === 0 || offset > (messages[index - 1]?.offset ?? 0),
          ),
        ).toBe(true);
      }
    });

    test('fetch gives a message that is larger than the limit alone', async () => {
      await using fixture = await open();
      const large = JSON.stringify({ large: 'x'.repeat(300_000) });
      await fixture.append(0, ['{"a":1}', large, '{"a":2}']);
      const limits = { messagesMax: 10, bytesMax: 1000, waitMs: 0 };
      const first = await fixture.stream.fetch(0, 0, limits);
      const second = await fixture.stream.fetch(0, first.nextOffset, limits);
      expect([textsOf(first), textsOf(second)]).toEqual([['{"a":1}'], [large]]);
      expect(textsOf(await fixture.stream.fetch(0, second.nextOffset, limits))).toEqual([
        '{"a":2}',
      ]);
    });

    test('fetch gives nothing at the latest offset, unless something comes while it waits', async () => {
      await using fixture = await open();
      await fixture.append(0, ['{"a":1}']);
      const { nextOffset } = await fixture.stream.fetch(0, 0, plenty);
      const nothing = await fixture.stream.fetch(0, nextOffset, plenty);
      expect(nothing).toEqual({ messages: [], nextOffset, latestOffset: nextOffset });
      const waiting = fixture.stream.fetch(0, nextOffset, longWait);
      await fixture.append(0, ['{"a":2}']);
      expect(textsOf(await waiting)).toEqual(['{"a":2}']);
    });

    test('fetch stops waiting when it is aborted, and does not begin when it is aborted already', async () => {
      await using fixture = await open();
      const caller = new AbortController();
      const waiting = fixture.stream.fetch(0, 0, longWait, { signal: caller.signal });
      caller.abort();
      await expectRejection(waiting, 'ABORTED');
      await expectRejection(
        fixture.stream.fetch(0, 0, plenty, { signal: caller.signal }),
        'ABORTED',
      );
      await expectRejection(fixture.stream.readPartitions({ signal: caller.signal }), 'ABORTED');
    });

    test('fetch serves several readers at once, in several places', async () => {
      await using fixture = await open();
      const values = Array.from({ length: 60 }, (_, index) => JSON.stringify({ index }));
      await fixture.append(0, values);
      await fixture.append(1, values.toReversed());
      const limits = { messagesMax: 13, bytesMax: 10_000, waitMs: 0 };
      const walks = await Promise.all(
        [0, 1, 0, 1, 0].map((partition) => walk(fixture.stream, partition, limits)),
      );
      expect(walks.map((messages) => messages.map(textOf))).toEqual([
        values,
        values.toReversed(),
        values,
        values.toReversed(),
        values,
      ]);
    });
  });
}

function describeOffsets(open: OpenStreamFixture): void {
  describe('offsets', () => {
    test('outside what the stream holds are OFFSET_NOT_FOUND, with both ends in the message', async () => {
      await using fixture = await open();
      const { stream } = fixture;
      await fixture.append(0, ['{"a":1}', '{"a":2}', '{"a":3}']);
      const { messages, latestOffset } = await stream.fetch(0, 0, plenty);
      const third = messages[2]?.offset ?? 0;
      await fixture.trim(0, third);
      for (const offset of [0, latestOffset + 1, latestOffset + 1_000_000]) {
        const error = await stream.fetch(0, offset, plenty).catch((thrown: unknown) => thrown);
        expect(error).toMatchObject({ code: 'OFFSET_NOT_FOUND' });
        for (const part of [stream.description, `${third}`, `${latestOffset}`, `${offset}`]) {
          expect((error as Error).message).toContain(part);
        }
      }
      expect(await stream.readPartitions()).toContainEqual({
        partition: 0,
        earliestOffset: third,
        latestOffset,
      });
      expect(textsOf(await stream.fetch(0, third, plenty))).toEqual(['{"a":3}']);
    });

    test('offsets are found by the time at which messages were written', async () => {
      await using fixture = await open();
      const { stream } = fixture;
      const startMs = Date.UTC(2026, 0, 1);
      for (const step of [0, 1, 2]) {
        await fixture.append(0, [`{"step":${step}}`, `{"step":${step}.5}`], startMs + step * 1000);
      }
      const { messages, latestOffset } = await stream.fetch(0, 0, plenty);
      const times = [0, 0, 1, 1, 2, 2].map((step) => startMs + step * 1000);
      expect(messages.map(({ timestampMs }) => timestampMs)).toEqual(times);
      const found = await Promise.all(
        [-1, 0, 1, 1000, 1001, 2000].map((afterMs) => stream.findOffset(0, startMs + afterMs)),
      );
      expect(found).toEqual([0, 0, 2, 2, 4, 4].map((index) => messages[index]?.offset));
      expect(await stream.findOffset(0, startMs + 2001)).toBe(latestOffset);
      expect(await stream.findOffset(1, startMs)).toBe(0);
    });

    test('offsets count the messages between them', async () => {
      await using fixture = await open();
      const { stream } = fixture;
      await fixture.append(
        0,
        Array.from({ length: 100 }, (_, index) => JSON.stringify({ index })),
      );
      const { messages, latestOffset } = await stream.fetch(0, 0, plenty);
      const at = (index: number): number => messages[index]?.offset ?? latestOffset;
      const counts = await Promise.all(
        [
          [0, 100],
          [0, 1],
          [17, 56],
          [99, 100],
          [100, 100],
          [50, 50],
        ].map(([from = 0, to = 0]) => stream.countMessages(0, at(from), at(to))),
      );
      expect(counts).toEqual([100, 1, 39, 1, 0, 0]);
    });
  });
}

function describeChanges(open: OpenStreamFixture): void {
  test('a topic that is deleted is STREAM_INVALID, in every call', async () => {
    await using fixture = await open();
    const { stream } = fixture;
    await fixture.append(0, ['{"a":1}']);
    await stream.fetch(0, 0, plenty);
    await fixture.deleteTopic();
    await expectStreamFailure(stream.readPartitions(), stream);
    await expectStreamFailure(stream.fetch(0, 0, plenty), stream);
    await expectStreamFailure(stream.findOffset(0, 0), stream);
  });
}

/** All messages of a partition, by fetches with some limits, which each fetch must keep. */
async function walk(
  stream: MessageStream,
  partition: number,
  limits: FetchLimits,
): Promise<readonly StreamMessage[]> {
  const messages: StreamMessage[] = [];
  for (let offset = 0; ;) {
    const fetched = await stream.fetch(partition, offset, limits);
    const sizes = fetched.messages.map(({ value }) => value?.byteLength ?? 0);
    expect(sizes.length).toBeLessThanOrEqual(limits.messagesMax);
    if (sizes.length > 1) {
      expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(limits.bytesMax);
    }
    messages.push(...fetched.messages);
    if (fetched.nextOffset === offset) return messages;
    offset = fetched.nextOffset;
  }
}

async function expectStreamFailure(
  promise: Promise<unknown>,
  { description }: MessageStream,
): Promise<void> {
  const error = await promise.catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: 'STREAM_INVALID' });
  expect(isQuireError(error) && error.message).toContain(description);
}

function textsOf({ messages }: FetchedMessages): readonly string[] {
  return messages.map(textOf);
}

function textOf({ value }: StreamMessage): string {
  return Buffer.from(value ?? []).toString();
}
