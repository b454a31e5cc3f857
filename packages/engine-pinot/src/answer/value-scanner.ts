const [quote, backslash, comma] = [0x22, 0x5c, 0x2c];
const [openBracket, closeBracket, openBrace, closeBrace] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Finds the end of one JSON value in bytes that arrive in pieces. It considers only strings and
 * brackets.
 */
export class ValueScanner {
  #depth = 0;
  #isInString = false;
  #isEscaped = false;

  /**
   * Continues in `bytes` from `start`; returns the end of the value, or -1 when it continues after
   * `bytes`.
   */
  scan(bytes: Uint8Array, start: number): number {
    const end = bytes.length;
    let [depth, isInString, isEscaped] = [this.#depth, this.#isInString, this.#isEscaped];
    for (let index = start; index < end; index += 1) {
      const byte = bytes[index];
      if (isInString) {
        if (isEscaped) isEscaped = false;
        else if (byte === backslash) isEscaped = true;
        else if (byte === quote) {
          isInString = false;
          if (depth === 0) return index + 1;
        }
      } else if (byte === quote) {
        isInString = true;
      } else if (byte === openBracket || byte === openBrace) {
        depth += 1;
      } else if (byte === closeBracket || byte === closeBrace) {
        // A number or a word ends with its context.
        if (depth === 0) return index;
        depth -= 1;
        if (depth === 0) return index + 1;
      } else if (byte === comma && depth === 0) {
        return index;
      }
    }
    [this.#depth, this.#isInString, this.#isEscaped] = [depth, isInString, isEscaped];
    return -1;
  }
}
