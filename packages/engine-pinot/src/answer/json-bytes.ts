import { QuireError } from '@quire/core';
import { isSpace } from './byte-cursor.ts';
import type { GrowingBytes } from './growing-bytes.ts';
import { ValueScanner } from './value-scanner.ts';

const [quote, backslash] = [0x22, 0x5c];
const [letterN, letterT, letterF, minus, point] = [0x6e, 0x74, 0x66, 0x2d, 0x2e];
/** The first bytes of strings, lists and objects, and -1 for the end of the bytes. */
const openings = new Set([quote, 0x5b, 0x7b, -1]);
const powersOfTen = Array.from({ length: 16 }, (_, exponent) => Number(`1e${exponent}`));

/** Reads values one after another from JSON that is completely in memory. */
export class JsonBytes {
  readonly bytes: Buffer;
  at: number;
  readonly end: number;

  constructor(bytes: Buffer, start: number, end: number) {
    this.bytes = bytes;
    this.at = start;
    this.end = end;
  }

  /** Returns the next byte after white space. */
  peek(): number {
    let byte = this.bytes[this.at] ?? -1;
    while (isSpace(byte)) {
      this.at += 1;
      byte = this.bytes[this.at] ?? -1;
    }
    return this.at < this.end ? byte : -1;
  }

  /** Takes the next byte if it is this one. */
  take(byte: number): boolean {
    if (this.peek() !== byte) return false;
    this.at += 1;
    return true;
  }

  takeNull(): boolean {
    if (this.peek() !== letterN) return false;
    this.at += 4;
    return true;
  }

  readBoolean(): boolean {
    const byte = this.peek();
    if (byte !== letterT && byte !== letterF) throw this.unexpected('true or false');
    this.at += byte === letterT ? 4 : 5;
    return byte === letterT;
  }

  isString(): boolean {
    return this.peek() === quote;
  }

  /** Returns the text of a number, or of a string in its place, such as NaN. */
  readNumber(): string {
    if (this.isString()) return this.readString();
    const start = this.at;
    let at = start;
    for (
      let byte = this.bytes[at] ?? 0;
      isPartOfNumber(byte) && at < this.end;
      byte = this.bytes[at] ?? 0
    ) {
      at += 1;
    }
    if (at === start) throw this.unexpected('a number');
    this.at = at;
    return this.bytes.toString('latin1', start, at);
  }

  /**
   * Returns a number of at most 15 digits without exponent, from its bytes: identical to `Number`
   * of its text, since both its digits and the power of ten are exact. Returns NaN, and reads
   * nothing, for any other value.
   */
  takeShortNumber(): number {
    let at = this.at;
    const isNegative = this.bytes[at] === minus;
    if (isNegative) at += 1;
    let [digits, digitCount, pointAt] = [0, 0, -1];
    for (; ; at += 1) {
      const byte = this.bytes[at] ?? 0;
      if (byte >= 0x30 && byte <= 0x39) {
        digits = digits * 10 + byte - 0x30;
        digitCount += 1;
      } else if (byte === point && pointAt === -1 && digitCount > 0) {
        pointAt = at;
      } else if (isPartOfNumber(byte)) {
        return NaN;
      } else break;
    }
    if (digitCount === 0 || digitCount > 15 || at > this.end || pointAt === at - 1) return NaN;
    const value = pointAt === -1 ? digits : digits / (powersOfTen[at - 1 - pointAt] ?? NaN);
    this.at = at;
    return isNegative ? -value : value;
  }

  readString(): string {
    const { start, end, hasEscapes } = this.#takeString();
    if (!hasEscapes) return this.bytes.toString('utf8', start, end);
    return JSON.parse(this.bytes.toString('utf8', start - 1, end + 1)) as string;
  }

  /** Appends the text of a string in UTF-8. */
  readStringInto(target: GrowingBytes): void {
    const { start, end, hasEscapes } = this.#takeString();
    if (hasEscapes) {
      target.appendText(JSON.parse(this.bytes.toString('utf8', start - 1, end + 1)) as string);
    } else target.append(this.bytes, start, end);
  }

  /** Returns the JSON of the next value of any kind. */
  readRaw(): string {
    const first = this.peek();
    let end = new ValueScanner().scan(this.bytes.subarray(0, this.end), this.at);
    // A number or a word may end with the bytes.
    if (end < 0 && !openings.has(first)) end = this.end;
    if (end < 0) throw this.unexpected('a value');
    const text = this.bytes.toString('utf8', this.at, end).trimEnd();
    this.at = end;
    return text;
  }

  unexpected(expected: string): QuireError {
    const near = this.bytes.toString('utf8', this.at, Math.min(this.end, this.at + 40));
    return new QuireError(
      'UNEXPECTED_RESPONSE',
      `The answer of Apache Pinot has '${near}' where ${expected} was expected.`,
    );
  }

  #takeString(): { readonly start: number; readonly end: number; readonly hasEscapes: boolean } {
    if (!this.isString()) throw this.unexpected('a string');
    const start = this.at + 1;
    let hasEscapes = false;
    for (let at = start; at < this.end; at += 1) {
      const byte = this.bytes[at];
      if (byte === quote) {
        this.at = at + 1;
        return { start, end: at, hasEscapes };
      }
      if (byte === backslash) {
        hasEscapes = true;
        at += 1;
      }
    }
    throw this.unexpected('a string');
  }
}

/** Matches digits, signs, a point and an exponent. */
function isPartOfNumber(byte: number): boolean {
  return (
    (byte >= 0x30 && byte <= 0x39) ||
    byte === 0x2d ||
    byte === 0x2b ||
    byte === 0x2e ||
    byte === 0x65 ||
    byte === 0x45
  );
}
