import type { StreamMessage } from '@quire/streams';

/** The parts of a message that become a row. */
export type MessageValue = Pick<StreamMessage, 'offset' | 'value'>;

/** Messages as three buffers, which are cheap to send to another process. */
export interface PackedMessages {
  readonly offsets: Float64Array;
  /** The byte length of each value; -1 for a message without a value. */
  readonly lengths: Int32Array;
  /** The values, concatenated. */
  readonly bytes: Uint8Array;
}

export function packMessages(messages: readonly MessageValue[]): PackedMessages {
  return {
    offsets: Float64Array.from(messages, ({ offset }) => offset),
    lengths: Int32Array.from(messages, ({ value }) => value?.byteLength ?? -1),
    bytes: Buffer.concat(messages.map(({ value }) => value ?? new Uint8Array())),
  };
}
