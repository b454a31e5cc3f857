/*
 * Decompresses LZ4 frames, which results in buckets may contain. The packages for that are years
 * old, and the
 * most used one takes 5 MB of memory when loaded; this reader is shorter. Checksums are skipped:
 * the broker has verified the data that it sends. Source:
 * https://github.com/lz4/lz4/blob/dev/doc/lz4_Frame_format.md and lz4_Block_format.md
 */

const magic = 0x184d2204;
const flags = {
  dictionary: 0x01,
  contentChecksum: 0x04,
  contentSize: 0x08,
  blockChecksum: 0x10,
  version: 0xc0,
};
const version = 0x40;
const shortestMatch = 4;

/** Unpacks a frame whose content has this length. @throws RangeError when it is not such a frame */
export function decompressLz4(frame: Uint8Array, length: number): Uint8Array<ArrayBuffer> {
  const view = new DataView(frame.buffer, frame.byteOffset, frame.byteLength);
  const descriptor = view.getUint8(4);
  const isFrame = view.getUint32(0, true) === magic && (descriptor & flags.version) === version;
  if (!isFrame) throw new RangeError('This is not an LZ4 frame.');
  let at =
    7 +
    ((descriptor & flags.contentSize) === 0 ? 0 : 8) +
    ((descriptor & flags.dictionary) === 0 ? 0 : 4);
  const target = new Uint8Array(length);
  let filled = 0;
  for (;;) {
    const header = view.getUint32(at, true);
    at += 4;
    if (header === 0) break;
    // The highest bit marks an uncompressed block.
    const size = header & 0x7fff_ffff;
    const isPlain = header >>> 31 === 1;
    const block = frame.subarray(at, at + size);
    if (block.length < size) throw new RangeError('The LZ4 frame ends within a block.');
    if (isPlain) target.set(block, filled);
    // Blocks may refer to earlier ones, so all are unpacked into one.
    filled = isPlain ? filled + size : unpackBlock(block, target, filled);
    at += size + ((descriptor & flags.blockChecksum) === 0 ? 0 : 4);
  }
  if (filled !== length) {
    throw new RangeError(`The LZ4 frame holds ${filled} bytes where ${length} were written.`);
  }
  return target;
}

/**
 * Unpacks literals, and matches with earlier output, alternately. Returns the end of the block in
 * the target.
 */
function unpackBlock(block: Uint8Array, target: Uint8Array, start: number): number {
  let [at, to] = [0, start];
  /** Reads the rest of a length that did not fit half a byte. */
  const lengthFrom = (half: number): number => {
    let sum = half;
    if (half === 15) {
      for (let next = 255; next === 255; at += 1) {
        next = byteAt(block, at);
        sum += next;
      }
    }
    return sum;
  };
  while (at < block.length) {
    const token = byteAt(block, at);
    at += 1;
    const literals = lengthFrom(token >> 4);
    if (at + literals > block.length) throw broken();
    target.set(block.subarray(at, at + literals), to); // throws a RangeError of its own when they do not fit
    at += literals;
    to += literals;
    if (at === block.length) break; // the last sequence has no match
    const distance = byteAt(block, at) | (byteAt(block, at + 1) << 8);
    at += 2;
    const from = to - distance;
    const end = to + lengthFrom(token & 15) + shortestMatch;
    if (distance === 0 || from < 0 || end > target.length) throw broken();
    if (distance >= end - to) target.copyWithin(to, from, from + end - to);
    // A match may overlap its own output, which is then read again.
    else {
      for (let index = to; index < end; index += 1) target[index] = target[index - distance] ?? 0;
    }
    to = end;
  }
  return to;
}

function byteAt(bytes: Uint8Array, index: number): number {
  const byte = bytes[index];
  if (byte === undefined) throw broken();
  return byte;
}

function broken(): RangeError {
  return new RangeError('The LZ4 block is broken.');
}
