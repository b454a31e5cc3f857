import { expect, test } from 'vitest';
import { packMessages, type PackedMessages } from '../src/consumption/packed-messages.ts';

/** Returns the offsets and texts of packed messages. */
function unpack({ offsets, starts, lengths, bytes }: PackedMessages): unknown {
  return Array.from(offsets, (offset, index) => {
    const [start = 0, length = 0] = [starts[index], lengths[index]];
    const text = Buffer.from(bytes.subarray(start, start + length)).toString();
    return [offset, length < 0 ? null : text];
  });
}

const lines = Buffer.from(`one\ntwo\n${'x'.repeat(200)}\nthree\n`);
const others = Buffer.from('four');

test.each<[string, readonly (Uint8Array | null)[], number]>([
  ['parts of one buffer, near each other', [lines.subarray(0, 3), lines.subarray(4, 7)], 7],
  ['parts that are far apart', [lines.subarray(0, 3), lines.subarray(209, 214)], 8],
  ['parts in another order', [lines.subarray(4, 7), lines.subarray(0, 3)], 6],
  ['a part twice', [lines.subarray(4, 7), lines.subarray(4, 7)], 6],
  ['parts that overlap', [lines.subarray(0, 6), lines.subarray(4, 7)], 9],
  ['several buffers', [lines.subarray(0, 3), others, lines.subarray(4, 7)], 10],
  ['no values', [null, null], 0],
  ['none between others', [lines.subarray(0, 3), null, lines.subarray(4, 7)], 7],
  ['empty values', [lines.subarray(3, 3), new Uint8Array(), others], 4],
  ['no messages', [], 0],
])('packed messages are those that were given: %s', (_what, values, size) => {
  const messages = values.map((value, index) => ({ offset: 2 ** 40 + index, value }));
  const packed = packMessages(messages);
  expect(unpack(packed)).toEqual(
    messages.map(({ offset, value }) => [
      offset,
      value === null ? null : Buffer.from(value).toString(),
    ]),
  );
  expect(packed.bytes.byteLength).toBe(size);
});
