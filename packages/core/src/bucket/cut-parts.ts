/** A piece of an object that is uploaded in one request. */
export interface Part {
  readonly bytes: Uint8Array;
  readonly isLast: boolean;
}

/** The initial capacity of the buffer; most small objects fit in it. */
const firstCapacityBytes = 64 * 1024;

/**
 * Splits chunks into parts of exactly `partBytes` and a final part of at most that size. There is
 * always a final part, which may be empty.
 *
 * Chunks are copied, so their memory may be reused. Each part has its own memory, which grows as it
 * fills.
 */
export async function* cutParts(
  chunks: AsyncIterable<Uint8Array>,
  partBytes: number,
): AsyncGenerator<Part> {
  let memory = new Uint8Array(0);
  let filledBytes = 0;
  for await (const chunk of chunks) {
    let taken = 0;
    while (taken < chunk.byteLength) {
      // A full part is yielded only when more bytes follow: until then it may be the final part.
      if (filledBytes === partBytes) {
        yield { bytes: memory, isLast: false };
        memory = new Uint8Array(0);
        filledBytes = 0;
      }
      const piece = chunk.subarray(taken, taken + partBytes - filledBytes);
      memory = withCapacity(memory, filledBytes, filledBytes + piece.byteLength, partBytes);
      memory.set(piece, filledBytes);
      filledBytes += piece.byteLength;
      taken += piece.byteLength;
    }
  }
  yield { bytes: memory.subarray(0, filledBytes), isLast: true };
}

function withCapacity(
  memory: Uint8Array<ArrayBuffer>,
  filledBytes: number,
  neededBytes: number,
  partBytes: number,
): Uint8Array<ArrayBuffer> {
  if (neededBytes <= memory.byteLength) return memory;
  const capacityBytes = Math.min(
    partBytes,
    Math.max(firstCapacityBytes, neededBytes, memory.byteLength * 2),
  );
  const larger = new Uint8Array(capacityBytes);
  larger.set(memory.subarray(0, filledBytes));
  return larger;
}
