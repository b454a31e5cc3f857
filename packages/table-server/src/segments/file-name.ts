import type { Random } from '@quire/core';

/** Returns the segment that a file was written for; the file contains all or some of its rows. */
export function segmentNameOf(file: string): string {
  return file.replace(/(?:\.chunk)?\.[0-9a-f]{12}\.parquet$/, '');
}

/** Returns a new, unique name for a file of rows. */
export function fileNameOf(stem: string, random: Random): string {
  return `${stem}.${Buffer.from(random.bytes(6)).toString('hex')}.parquet`;
}
