import { QuireError } from '@quire/core';

const [quote, backslash, openBrace, closeBrace, openBracket, closeBracket] = Buffer.from('"\\{}[]');
/**
 * What opens a list and its elements, by the depth that it is at: a list as the only member of an
 * object, or by itself.
 */
const openings = {
  member: [openBrace, openBracket, openBrace],
  bare: [openBracket, openBrace],
} as const;

/** How a list stands in its JSON. */
export type ListShape = keyof typeof openings;

const betweenElements = [...Buffer.from(', \t\r\n')];
/** An entry of a list has some hundred bytes: what is longer than this is not one. */
const elementBytesMax = 65_536;

/**
 * Cuts the JSON `{"<member>": [element, …]}`, or `[element, …]`, into the bytes of its elements, as
 * they arrive: never more than one element and one chunk are held.
 *
 * @throws BROKER_FAILED when the bytes are not such a list, end before it does, or an element is
 * longer than 64 KiB
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
