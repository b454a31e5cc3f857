import type { StreamMessage } from '@quire/streams';

/** What of a message becomes a row. */
export type MessageValue = Pick<StreamMessage, 'offset' | 'value'>;

/** Messages as three pieces of memory: they go to another process at little cost. */
export interface PackedMessages {
  readonly offsets: Float64Array;
  /** Bytes of each value; -1: the message has none. */
  readonly lengths: Int32Array;
  /** The values, one after the other. */
  readonly bytes: Uint8Array;
}

export function packMessages(messages: readonly MessageValue[]): PackedMessages {
  return {
    offsets: Float64Array.from(messages, ({ offset }) => offset),
    lengths: Int32Array.from(messages, ({ value }) => value?.byteLength ?? -1),
    bytes: Buffer.concat(messages.map(({ value }) => value ?? new Uint8Array())),
  };
}

export function* unpackMessages({
  offsets,
  lengths,
  bytes,
}: PackedMessages): Generator<MessageValue> {
  let start = 0;
  for (const [index, offset] of offsets.entries()) {
    const length = lengths[index] ?? -1;
    const end = start + Math.max(0, length);
    yield { offset, value: length < 0 ? null : bytes.subarray(start, end) };
    start = end;
  }
}
