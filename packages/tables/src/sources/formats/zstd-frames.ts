/** The length of the dictionary's id, by the low bits of a frame's descriptor. */
const dictionaryIdBytes = [0, 1, 2, 4] as const;
/** The length of the content's size, by the high bits of the descriptor. */
const contentSizeBytes = [0, 2, 4, 8] as const;

/** Reports whether bytes begin with a frame of zstd, or with one that readers skip. */
export function isZstdFrame(head: ArrayLike<number>): boolean {
  return (
    (head[0] === 0x28 && head[1] === 0xb5 && head[2] === 0x2f && head[3] === 0xfd) ||
    isSkippable(head)
  );
}

function isSkippable(head: ArrayLike<number>): boolean {
  return (
    ((head[0] ?? 0) & 0xf0) === 0x50 && head[1] === 0x2a && head[2] === 0x4d && head[3] === 0x18
  );
}

/**
 * Yields the bytes of zstd in pieces that end where a frame ends. The runtime's decompressor drops
 * what follows a frame in the same piece, and reads on with the next piece. Files have several
 * frames if they were compressed in parallel or appended.
 *
 * Source: RFC 8878, section 3.1
 */
export async function* splitAtFrames(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  /** The bytes of the header of a frame or block that were read so far. */
  let head: number[] = [];
  /** The number of bytes until the next header. */
  let skip = 0;
  let [isInFrame, isLast, hasChecksum] = [false, false, false];

  const endHeader = (bytesAfter: number, endsFrame: boolean): void => {
    head = [];
    skip = bytesAfter;
    isLast = endsFrame;
    isInFrame = true;
  };
  const readFrameHeader = (): void => {
    if (head.length < 5) return;
    if (isSkippable(head)) {
      if (head.length === 8) endHeader(Buffer.from(head).readUInt32LE(4), true);
      return;
    }
    // The decompressor refuses these bytes.
    if (!isZstdFrame(head)) return endHeader(Infinity, false);
    const descriptor = head[4] ?? 0;
    const isSingleSegment = (descriptor & 0x20) !== 0;
    hasChecksum = (descriptor & 0x04) !== 0;
    const sizeBytes = contentSizeBytes[(descriptor >> 6) as 0 | 1 | 2 | 3];
    endHeader(
      dictionaryIdBytes[(descriptor & 3) as 0 | 1 | 2 | 3] +
        (isSingleSegment ? Math.max(1, sizeBytes) : 1 + sizeBytes),
      false,
    );
  };
  const readBlockHeader = (): void => {
    if (head.length < 3) return;
    const header = Buffer.from(head).readUIntLE(0, 3);
    const isRepeated = ((header >> 1) & 3) === 1;
    const endsFrame = (header & 1) === 1;
    endHeader((isRepeated ? 1 : header >> 3) + (endsFrame && hasChecksum ? 4 : 0), endsFrame);
  };

  for await (const chunk of bytes) {
    let [start, at] = [0, 0];
    while (at < chunk.length) {
      if (skip > 0) {
        const count = Math.min(skip, chunk.length - at);
        skip -= count;
        at += count;
      } else {
        head.push(chunk[at] ?? 0);
        at += 1;
        if (isInFrame) readBlockHeader();
        else readFrameHeader();
      }
      if (isLast && skip === 0) {
        yield chunk.subarray(start, at);
        start = at;
        [isInFrame, isLast] = [false, false];
      }
    }
    if (start < chunk.length) yield chunk.subarray(start);
  }
}
