import { decompressFrameSync, uncompressSync } from 'lz4-napi';

/** The sizes of blocks by the code of a frame's descriptor; other codes are not defined. */
const blockBytes: Readonly<Record<number, number>> = {
  4: 64 * 1024,
  5: 256 * 1024,
  6: 1024 * 1024,
  7: 4 * 1024 * 1024,
};
/** The most bytes that a byte of a block can stand for. */
const expansionMax = 255;
const magic = 0x184d_2204;
const headerBytes = 7;
const notCompressed = 0x8000_0000;
const flagDictionary = 1;
const flagChecksum = 4;
const flagSize = 8;
const flagBlockChecksums = 16;

/** Decompresses a block without a frame, which has exactly `sizeBytes` bytes. */
export function decompressLz4Block(block: Uint8Array, sizeBytes: number): Uint8Array {
  const input = new Uint8Array(4 + block.length);
  new DataView(input.buffer).setUint32(0, sizeBytes, true);
  input.set(block, 4);
  const plain = uncompressSync(input);
  if (plain.length !== sizeBytes) {
    throw new Error(`an LZ4 block has ${plain.length} bytes instead of ${sizeBytes}`);
  }
  return plain;
}

/**
 * Decompresses a frame.
 *
 * @param takeBytes called with the most bytes that it can have, before there is memory for them; it
 *   throws if those are too many
 */
export function decompressLz4Frame(
  bytes: Uint8Array,
  takeBytes: (sizeBytesMax: number) => void,
): Uint8Array {
  const { end, sizeBytesMax } = measureFrame(bytes);
  takeBytes(sizeBytesMax);
  return decompressFrameSync(Buffer.from(bytes.buffer, bytes.byteOffset, end));
}

/**
 * Returns the end of a frame, and an upper bound of its bytes from the sizes of its blocks. Source:
 * https://github.com/lz4/lz4/blob/dev/doc/lz4_Frame_format.md
 */
function measureFrame(bytes: Uint8Array): { readonly end: number; readonly sizeBytesMax: number } {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const wordAt = (position: number): number => {
    if (position + 4 > bytes.length) throw new Error('an LZ4 frame ends in the middle');
    return view.getUint32(position, true);
  };
  if (wordAt(0) !== magic) throw new Error('a compressed buffer is not an LZ4 frame');
  const [flags = 0, descriptor = 0] = bytes.subarray(4);
  const lengthIf = (flag: number, length: number): number => ((flags & flag) === 0 ? 0 : length);
  const blockBytesMax = blockBytes[(descriptor >> 4) & 7] ?? 0;
  let sizeBytesMax = 0;
  let position = headerBytes + lengthIf(flagSize, 8) + lengthIf(flagDictionary, 4);
  for (let word = wordAt(position); word !== 0; word = wordAt(position)) {
    const length = word % notCompressed;
    sizeBytesMax += Math.min(blockBytesMax, word >= notCompressed ? length : length * expansionMax);
    position += 4 + length + lengthIf(flagBlockChecksums, 4);
  }
  return { end: position + 4 + lengthIf(flagChecksum, 4), sizeBytesMax };
}
