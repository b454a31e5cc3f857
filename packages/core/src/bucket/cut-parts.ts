/** A piece of an object that is uploaded in one request. */
export interface Part {
  readonly bytes: Uint8Array;
  readonly isLast: boolean;
}

/** What most small objects fit in. */
const firstCapacityBytes = 64 * 1024;

/**
 * Cuts chunks into parts of exactly `partBytes` and a last one of at most that; there is always a
 * last one, which may be empty.
 *
 * Chunks are copied, so their memory may be used again. Each part has memory of its own, which
 * grows as it fills.
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
      // Only once there is more: until then, this part may be the last.
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
