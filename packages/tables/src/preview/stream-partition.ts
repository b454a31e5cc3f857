import { decodeJson, type MessageStream } from '@quire/streams';
import type { SourceRow } from '../row.ts';
import type { ByteBudget } from '../sources/byte-budget.ts';

/** Most bytes that are fetched at once: a partition with few rows should not cost its share of all bytes. */
const fetchBytesMax = 1024 * 1024;

/** What holds for all messages of a sample. */
export interface MessageLimits {
  readonly rowBytesMax: number;
  readonly digitsMax: number;
  /** Bytes of messages that may still be read. */
  readonly budget: ByteBudget;
  readonly signal: AbortSignal;
  /** Told of messages that are not rows. */
  readonly onProblem: (code: string, message: string) => void;
}

/** Reads rows of one partition, from an offset to where it ended when the sample began. */
export class StreamPartition {
  readonly rows: SourceRow[] = [];
  readonly #stream: MessageStream;
  readonly #partition: number;
  readonly #endOffset: number;
  #nextOffset: number;

  constructor(
    stream: MessageStream,
    range: { readonly partition: number; readonly fromOffset: number; readonly endOffset: number },
  ) {
    this.#stream = stream;
    this.#partition = range.partition;
    this.#nextOffset = range.fromOffset;
    this.#endOffset = range.endOffset;
  }

  get isAtEnd(): boolean {
    return this.#nextOffset >= this.#endOffset;
  }

  /**
   * Reads on until there are so many rows, or nothing is left.
   *
   * @throws SourceProblem BYTE_LIMIT when no more bytes may be read
   * @throws STREAM_UNAVAILABLE, STREAM_INVALID, OFFSET_NOT_FOUND as the stream does
   */
  async readUntil(rowCount: number, limits: MessageLimits): Promise<void> {
    const { budget, signal } = limits;
    while (this.rows.length < rowCount && !this.isAtEnd) {
      const messagesMax = rowCount - this.rows.length;
      const fetchLimits = { messagesMax, bytesMax: Math.max(1, Math.min(fetchBytesMax, budget.left)), waitMs: 0 };
      const { messages, nextOffset } = await this.#stream.fetch(this.#partition, this.#nextOffset, fetchLimits, { signal });
      for (const { offset, value, ...message } of messages) {
        if (offset >= this.#endOffset) continue;
        budget.take(value?.byteLength ?? 0);
        const row = this.#decode({ ...message, offset, value }, limits);
        if (row !== undefined) this.rows.push(row);
      }
      // A stream that gives nothing, and does not go on, has nothing more at the moment.
      if (nextOffset === this.#nextOffset) return;
      this.#nextOffset = nextOffset;
    }
  }

  #decode(
    message: Parameters<typeof decodeJson>[0],
    { rowBytesMax, digitsMax, onProblem }: MessageLimits,
  ): SourceRow | undefined {
    const subject = `The message at offset ${message.offset} of partition ${this.#partition}`;
    if ((message.value?.byteLength ?? 0) > rowBytesMax) {
      onProblem('ROW_TOO_LONG', `${subject} is longer than ${rowBytesMax} bytes; it is left out.`);
      return undefined;
    }
    const decoded = decodeJson(message, { digitsMax });
    if ('row' in decoded) return decoded.row;
    onProblem('ROW_UNREADABLE', `${subject} ${decoded.problem}; it is left out.`);
    return undefined;
  }
}
