import type { Random } from '@quire/core';

/** The segment that a file was written for, whose rows it holds all or some of. */
export function segmentNameOf(file: string): string {
  return file.replace(/(?:\.chunk)?\.[0-9a-f]{12}\.parquet$/, '');
}

/** A new name for a file of rows: no other file is ever called so. */
export function fileNameOf(stem: string, random: Random): string {
  return `${stem}.${Buffer.from(random.bytes(6)).toString('hex')}.parquet`;
}
