/** The content of a block id, because the server returns no date for uncommitted blocks. */
export interface BlockIdParts {
  /** The time at which the block was sent. */
  readonly timeMs: number;
  /** Eight random bytes of the upload, so that two uploads of one object never mix. */
  readonly tag: Uint8Array;
  readonly number: number;
}

const idBytes = 18;

/** Returns the id of a block in base64, with a fixed length as the server requires. */
export function blockId({ timeMs, tag, number }: BlockIdParts): string {
  const id = Buffer.alloc(idBytes);
  id.writeUIntBE(timeMs, 0, 6);
  id.set(tag, 6);
  id.writeUInt32BE(number, 14);
  return id.toString('base64');
}

/** Returns the time at which a block was sent; undefined for the block of another program. */
export function timeOfBlock(id: string): number | undefined {
  const bytes = Buffer.from(id, 'base64');
  return bytes.byteLength === idBytes ? bytes.readUIntBE(0, 6) : undefined;
}
