/** A growing buffer that text is written into as bytes; inner loops address `bytes` directly after `reserve`. */
export class ByteSink {
  bytes: Uint8Array;
  length = 0;

  constructor(capacity = 64 * 1024) {
    this.bytes = new Uint8Array(capacity);
  }

  /** Makes room for `count` more bytes and returns the position to write them at; the caller then moves `length`. */
  reserve(count: number): number {
    if (this.length + count > this.bytes.length) {
      const larger = new Uint8Array(Math.max(this.length + count, this.bytes.length * 2));
      larger.set(this.bytes.subarray(0, this.length));
      this.bytes = larger;
    }
    return this.length;
  }

  writeByte(byte: number): void {
    const position = this.reserve(1);
    this.bytes[position] = byte;
    this.length = position + 1;
  }

  /** Writes text of ASCII characters only. */
  writeAscii(text: string): void {
    const position = this.reserve(text.length);
    const { bytes } = this;
    for (let index = 0; index < text.length; index += 1) bytes[position + index] = text.charCodeAt(index);
    this.length = position + text.length;
  }

  writeBytes(source: Uint8Array, start = 0, end = source.length): void {
    const count = end - start;
    const position = this.reserve(count);
    const { bytes } = this;
    // Below some tens of bytes a loop costs less than the call into the engine's copy.
    if (count <= 32) for (let index = 0; index < count; index += 1) bytes[position + index] = source[start + index] ?? 0;
    else bytes.set(source.subarray(start, end), position);
    this.length = position + count;
  }

  /** What has been written, as a view that the next write after `clear` overwrites. */
  view(): Uint8Array {
    return this.bytes.subarray(0, this.length);
  }

  clear(): void {
    this.length = 0;
  }

  /** Hands over what has been written and starts a new buffer. */
  take(): Uint8Array {
    const taken = this.bytes.subarray(0, this.length);
    // Every byte is written before it is read, so zeroes would be wasted work.
    this.bytes = Buffer.allocUnsafeSlow(Math.max(64 * 1024, Math.min(this.bytes.length, 1024 * 1024)));
    this.length = 0;
    return taken;
  }
}
