/** What the id of a block says: the server gives no date of blocks that are not committed. */
export interface BlockIdParts {
  /** When the block was sent. */
  readonly timeMs: number;
  /** Eight random bytes of the upload, so that two uploads of one object never mix. */
  readonly tag: Uint8Array;
  readonly number: number;
}

const idBytes = 18;

/** Returns the id of a block, in base64 and as long as any other, as the server wants it. */
export function blockId({ timeMs, tag, number }: BlockIdParts): string {
  const id = Buffer.alloc(idBytes);
  id.writeUIntBE(timeMs, 0, 6);
  id.set(tag, 6);
  id.writeUInt32BE(number, 14);
  return id.toString('base64');
}

/** Returns when a block was sent; undefined for the block of another program. */
export function timeOfBlock(id: string): number | undefined {
  const bytes = Buffer.from(id, 'base64');
  return bytes.byteLength === idBytes ? bytes.readUIntBE(0, 6) : undefined;
}
