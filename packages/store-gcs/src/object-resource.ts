import { type ObjectEntry, QuireError } from '@quire/core';
import type { FailedCall } from '@quire/core/bucket';

/** The requested members of an object's metadata. */
export const entryFields = 'name,size,updated';

/**
 * Parses the entry of an object from its metadata, in which the size is text.
 *
 * @throws STORE_UNAVAILABLE when the metadata is not valid
 */
export function parseObjectResource(
  resource: unknown,
  prefix: string,
  { op, key, location }: FailedCall,
): ObjectEntry {
  const { name, size, updated } = (resource ?? {}) as Readonly<Record<string, unknown>>;
  const sizeBytes = Number(size);
  const lastModifiedMs = typeof updated === 'string' ? Date.parse(updated) : Number.NaN;
  if (
    typeof name !== 'string' ||
    size === undefined ||
    !Number.isSafeInteger(sizeBytes) ||
    !Number.isSafeInteger(lastModifiedMs)
  ) {
    throw new QuireError(
      'STORE_UNAVAILABLE',
      `${op} of ${key} in ${location}: the answer lacks a name, size or date: ${JSON.stringify(resource)}.`,
    );
  }
  return { key: name.slice(prefix.length), sizeBytes, lastModifiedMs };
}

/**
 * Checks that the server has the bytes that were put. @throws STORE_UNAVAILABLE when it does not
 */
export function assertStored(
  entry: ObjectEntry | undefined,
  sizeBytes: number,
  { key, location }: FailedCall,
): ObjectEntry {
  if (entry?.key === key && entry.sizeBytes === sizeBytes) return entry;
  throw new QuireError(
    'STORE_UNAVAILABLE',
    `put of ${key} in ${location}: the server has ${entry?.sizeBytes} of ${sizeBytes} bytes.`,
  );
}
