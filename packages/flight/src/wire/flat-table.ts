/**
 * A FlatBuffers table, the format of the metadata of Arrow's messages; fields are read on demand.
 * Nothing outside the bytes is read: an offset beyond them is a RangeError, and a vector has at
 * most as many elements as bytes. Source: https://flatbuffers.dev/internals/
 */
export class FlatTable {
  readonly #view: DataView;
  readonly #start: number;

  private constructor(view: DataView, start: number) {
    this.#view = view;
    this.#start = start;
  }

  /** The root table of the bytes. */
  static root(bytes: Uint8Array): FlatTable {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    return new FlatTable(view, view.getUint32(0, true));
  }

  /** Returns a field of one byte; 0 if it is absent. */
  uint8(field: number): number {
    const at = this.#at(field);
    return at === undefined ? 0 : this.#view.getUint8(at);
  }

  int16(field: number, initial: number): number {
    const at = this.#at(field);
    return at === undefined ? initial : this.#view.getInt16(at, true);
  }

  int32(field: number, initial: number): number {
    const at = this.#at(field);
    return at === undefined ? initial : this.#view.getInt32(at, true);
  }

  int64(field: number): bigint {
    const at = this.#at(field);
    return at === undefined ? 0n : this.#view.getBigInt64(at, true);
  }

  table(field: number): FlatTable | undefined {
    const at = this.#target(field);
    return at === undefined ? undefined : new FlatTable(this.#view, at);
  }

  text(field: number): string {
    const at = this.#target(field);
    if (at === undefined) return '';
    const length = this.#countAt(at, 1);
    const { buffer, byteOffset } = this.#view;
    return new TextDecoder().decode(new Uint8Array(buffer, byteOffset + at + 4, length));
  }

  tables(field: number): FlatTable[] {
    return this.#elements(
      field,
      4,
      (at) => new FlatTable(this.#view, at + this.#view.getUint32(at, true)),
    );
  }

  /** Returns a vector of structs of two 64-bit numbers each. */
  pairs(field: number): (readonly [bigint, bigint])[] {
    return this.#elements(field, 16, (at) => [
      this.#view.getBigInt64(at, true),
      this.#view.getBigInt64(at + 8, true),
    ]);
  }

  int64s(field: number): bigint[] {
    return this.#elements(field, 8, (at) => this.#view.getBigInt64(at, true));
  }

  #elements<Element>(
    field: number,
    elementBytes: number,
    read: (at: number) => Element,
  ): Element[] {
    const at = this.#target(field);
    if (at === undefined) return [];
    return Array.from({ length: this.#countAt(at, elementBytes) }, (_, index) =>
      read(at + 4 + index * elementBytes),
    );
  }

  #countAt(at: number, elementBytes: number): number {
    const count = this.#view.getUint32(at, true);
    if (at + 4 + count * elementBytes <= this.#view.byteLength) return count;
    throw new RangeError('A vector exceeds the bytes of its message.');
  }

  /** Returns the position that a reference field points to. */
  #target(field: number): number | undefined {
    const at = this.#at(field);
    return at === undefined ? undefined : at + this.#view.getUint32(at, true);
  }

  /** Returns the position of a field; undefined if the table lacks it. */
  #at(field: number): number | undefined {
    const offsets = this.#start - this.#view.getInt32(this.#start, true);
    const entry = 4 + 2 * field;
    if (entry + 2 > this.#view.getUint16(offsets, true)) return undefined;
    const offset = this.#view.getUint16(offsets + entry, true);
    return offset === 0 ? undefined : this.#start + offset;
  }
}
