import type { Random } from '@quire/core';

/** A new name for a file of rows: no other file is ever called so. */
export function fileNameOf(stem: string, random: Random): string {
  return `${stem}.${Buffer.from(random.bytes(6)).toString('hex')}.parquet`;
}
