import { QuireError } from '@quire/core';

const [quote, backslash, openBrace, closeBrace, openBracket, closeBracket] = Buffer.from('"\\{}[]');
/**
 * The openings of a list and its elements, by depth: a list as the only member of an object, or by
 * itself.
 */
const openings = {
  member: [openBrace, openBracket, openBrace],
  bare: [openBracket, openBrace],
} as const;

/** The position of a list in its JSON. */
export type ListShape = keyof typeof openings;

const betweenElements = [...Buffer.from(', \t\r\n')];
/** The maximum size of an entry, which usually has some hundred bytes. */
const elementBytesMax = 65_536;

/**
 * Splits the JSON `{"<member>": [element, …]}`, or `[element, …]`, into the bytes of its elements
 * as they are received, and holds at most one element and one chunk.
 *
 * @throws BROKER_FAILED when the bytes are not such a list or end early, or an element is longer
 *   than 64 KiB
 */
export async function* splitElements(
  chunks: AsyncIterable<Uint8Array>,
  shape: ListShape,
): AsyncGenerator<Buffer> {
  const opening: readonly (number | undefined)[] = openings[shape];
  const elementDepth = opening.length - 1;
  let depth = 0;
  let isInString = false;
  let isEscaped = false;
  let isClosed = false;
  let held = Buffer.alloc(0);
  for await (const chunk of chunks) {
    const bytes = held.length === 0 ? Buffer.from(chunk) : Buffer.concat([held, chunk]);
    let start = held.length > 0 ? 0 : -1;
    for (let index = held.length; index < bytes.length; index += 1) {
      const byte = bytes[index];
      if (isInString) {
        if (isEscaped) isEscaped = false;
        else if (byte === backslash) isEscaped = true;
        else if (byte === quote) isInString = false;
      } else if (byte === quote) {
        isInString = true;
        if (depth === elementDepth) throw noList();
      } else if (byte === openBrace || byte === openBracket) {
        if (depth <= elementDepth && byte !== opening[depth]) throw noList();
        if (depth === elementDepth) start = index;
        depth += 1;
      } else if (byte === closeBrace || byte === closeBracket) {
        depth -= 1;
        if (depth === elementDepth) yield bytes.subarray(start, index + 1);
        if (depth === elementDepth) start = -1;
        if (depth === 0) isClosed = true;
        if (depth < 0) throw noList();
      } else if (depth === elementDepth && byte !== undefined && !betweenElements.includes(byte)) {
        throw noList();
      }
    }
    held = start === -1 ? Buffer.alloc(0) : bytes.subarray(start);
    if (held.length > elementBytesMax) throw noList();
  }
  if (!isClosed) throw noList();
}

function noList(): QuireError {
  return new QuireError('BROKER_FAILED', "A broker's answer is not a list of results.");
}
