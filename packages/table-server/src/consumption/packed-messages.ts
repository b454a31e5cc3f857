import type { StreamMessage } from '@quire/streams';

/** The parts of a message that become a row. */
export type MessageValue = Pick<StreamMessage, 'offset' | 'value'>;

/** Messages as four buffers, which are cheap to send to another process. */
export interface PackedMessages {
  readonly offsets: Float64Array;
  /** The position of each value in `bytes`. */
  readonly starts: Int32Array;
  /** The byte length of each value; -1 for a message without a value. */
  readonly lengths: Int32Array;
  /** The values in order, with a few other bytes in between. */
  readonly bytes: Uint8Array;
}

/**
 * The maximum number of bytes between two values of one buffer that are copied as well. Most values
 * are parts of what a stream has read, only a newline or the header of a record apart, so that many
 * of them take one copy.
 */
const gapBytesMax = 64;

/** Bytes that are copied at once. */
interface Run {
  readonly buffer: ArrayBufferLike;
  readonly start: number;
  end: number;
}

export function packMessages(messages: readonly MessageValue[]): PackedMessages {
  const offsets = new Float64Array(messages.length);
  const starts = new Int32Array(messages.length);
  const lengths = new Int32Array(messages.length).fill(-1);
  const runs: Run[] = [];
  let run: Run | undefined;
  /** The number of bytes before the current run. */
  let size = 0;
  for (let index = 0; index < messages.length; index += 1) {
    const message = messages[index];
    if (message === undefined) continue;
    const { offset, value } = message;
    offsets[index] = offset;
    if (value === null) continue;
    const { buffer, byteOffset: start, byteLength } = value;
    const gap = run === undefined || run.buffer !== buffer ? -1 : start - run.end;
    if (run === undefined || gap < 0 || gap > gapBytesMax) {
      if (run !== undefined) size += run.end - run.start;
      run = { buffer, start, end: start };
      runs.push(run);
    }
    run.end = start + byteLength;
    starts[index] = size + start - run.start;
    lengths[index] = byteLength;
  }
  const bytes = Buffer.concat(
    runs.map(({ buffer, start, end }) => new Uint8Array(buffer, start, end - start)),
  );
  return { offsets, starts, lengths, bytes };
}
