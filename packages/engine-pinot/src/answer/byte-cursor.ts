import { QuireError } from '@quire/core';

/** Reports whether a byte is white space: a space, a tab or the end of a line. */
export function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

/**
 * The available part of a stream of bytes: `bytes` from `at` on is unread. It buffers one chunk and
 * the rest of earlier ones, so its memory depends only on the largest value.
 */
export class ByteCursor {
  bytes: Buffer = Buffer.alloc(0);
  at = 0;
  readonly #chunks: AsyncIterator<Uint8Array>;
  /** The buffer in which chunks are joined, which is reused for each. */
  #space = Buffer.alloc(0);

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** Appends the next chunk to the unread bytes, which may move; false at the end of the stream. */
  async more(): Promise<boolean> {
    const next = await this.#chunks.next();
    if (next.done === true) return false;
    const { buffer, byteOffset, byteLength } = next.value;
    const chunk = Buffer.from(buffer, byteOffset, byteLength);
    const unread = this.bytes.subarray(this.at);
    const size = unread.length + chunk.length;
    if (unread.length === 0) this.bytes = chunk;
    else {
      const space = size <= this.#space.length ? this.#space : Buffer.allocUnsafeSlow(size * 2);
      // Both may be the same memory, which `set` handles.
      if (unread.buffer !== space.buffer || this.at > 0) space.set(unread);
      space.set(chunk, unread.length);
      this.#space = space;
      this.bytes = space.subarray(0, size);
    }
    this.at = 0;
    return true;
  }

  /** Returns the next byte after white space, unread; -1 at the end of the stream. */
  async peek(): Promise<number> {
    for (;;) {
      while (this.at < this.bytes.length) {
        const byte = this.bytes[this.at] ?? -1;
        if (!isSpace(byte)) return byte;
        this.at += 1;
      }
      if (!(await this.more())) return -1;
    }
  }

  /** @throws UNEXPECTED_RESPONSE when it is another byte */
  async expect(character: string): Promise<void> {
    const byte = await this.peek();
    if (byte !== character.charCodeAt(0)) throw notJson(`'${character}'`, byte);
    this.at += 1;
  }
}

export function notJson(expected: string, byte: number): QuireError {
  const found = byte === -1 ? 'it ended' : `found '${String.fromCharCode(byte)}'`;
  return new QuireError(
    'UNEXPECTED_RESPONSE',
    `The answer of Apache Pinot is malformed: expected ${expected}, but ${found}.`,
  );
}
