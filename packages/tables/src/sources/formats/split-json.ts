import { SourceProblem } from '../source-problem.ts';

/** The bytes that structure JSON. */
const [quote, backslash, openBrace, closeBrace, openBracket, closeBracket, comma] = Buffer.from('"\\{}[],');

/**
 * Cuts the bytes of JSON into the texts of its rows, without holding more than one: the elements of a list, or values one after
 * the other with white space between, which JSON lines are as well.
 *
 * @throws SourceProblem ROW_TOO_LONG when a row has more than `rowBytesMax` bytes
 */
export async function* splitJson(bytes: AsyncIterable<Uint8Array>, rowBytesMax: number): AsyncGenerator<string> {
  let parts: Uint8Array[] = [];
  let length = 0;
  let depth = 0;
  /** 1 where the rows are the elements of one list. */
  let rowDepth: number | undefined;
  let [isInText, isEscaped] = [false, false];
  const take = (chunk: Uint8Array, start: number, end: number): void => {
    if (start >= end) return;
    length += end - start;
    if (length > rowBytesMax) throw new SourceProblem('ROW_TOO_LONG', `A row is longer than ${rowBytesMax} bytes.`);
    parts.push(chunk.subarray(start, end));
  };
  const finish = (): string => {
    const text = parts.length === 0 ? '' : Buffer.concat(parts).toString('utf8').trim();
    [parts, length] = [[], 0];
    return text;
  };
  for await (const chunk of bytes) {
    let start = 0;
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at];
      if (isInText) {
        if (isEscaped) isEscaped = false;
        else if (byte === backslash) isEscaped = true;
        else if (byte === quote) isInText = false;
        continue;
      }
      if (byte === quote) isInText = true;
      else if (byte === openBrace || byte === openBracket) {
        if (rowDepth === undefined && depth === 0) {
          rowDepth = byte === openBracket ? 1 : 0;
          if (rowDepth === 1) start = at + 1;
        }
        depth += 1;
      } else if (byte === closeBrace || byte === closeBracket) {
        depth -= 1;
        const isRow = depth === rowDepth;
        const isListEnd = rowDepth === 1 && depth === 0;
        if (!isRow && !isListEnd) continue;
        take(chunk, start, isListEnd ? at : at + 1);
        start = at + 1;
        const text = finish();
        if (text !== '') yield text;
      } else if (byte === comma && rowDepth === 1 && depth === 1) {
        take(chunk, start, at);
        start = at + 1;
        const text = finish();
        if (text !== '') yield text;
      }
    }
    take(chunk, start, chunk.length);
  }
  const rest = finish();
  if (rest !== '') yield rest;
}
