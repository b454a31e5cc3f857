/** Bytes that can be appended to; their capacity grows by half more than needed. */
export class GrowingBytes {
  length = 0;
  #bytes: Buffer;

  constructor(capacity = 1024) {
    this.#bytes = Buffer.allocUnsafeSlow(capacity);
  }

  append(source: Uint8Array, start: number, end: number): void {
    const size = end - start;
    this.#reserve(size);
    if (size > 24) this.#bytes.set(source.subarray(start, end), this.length);
    else {
      for (let index = 0; index < size; index += 1) {
        this.#bytes[this.length + index] = source[start + index] ?? 0;
      }
    }
    this.length += size;
  }

  appendText(text: string): void {
    this.#reserve(text.length * 3);
    this.length += this.#bytes.write(text, this.length, 'utf8');
  }

  appendHex(text: string): void {
    this.#reserve(text.length / 2);
    this.length += this.#bytes.write(text, this.length, 'hex');
  }

  /** Returns the appended bytes, as a copy. */
  finish(): Uint8Array {
    return new Uint8Array(this.#bytes.buffer, this.#bytes.byteOffset, this.length).slice();
  }

  #reserve(size: number): void {
    if (this.length + size <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.ceil((this.length + size) * 1.5));
    this.#bytes.copy(larger, 0, 0, this.length);
    this.#bytes = larger;
  }
}
