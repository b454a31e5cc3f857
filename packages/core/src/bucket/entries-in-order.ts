import { QuireError, throwIfAborted } from '../errors.ts';
import { isObjectKey } from '../object-key.ts';
import type { ListOptions, ObjectEntry } from '../object-store.ts';
import { describeCall, type FailedCall } from './failed-call.ts';

/**
 * Yields the entries of a paged listing after `options.after`, each once and in key order.
 *
 * Objects of other programs, whose names are not keys, are skipped. Servers order names by their
 * UTF-8 bytes, which is the same order for keys.
 *
 * @throws STORE_UNAVAILABLE when the server lists in another order
 */
export async function* entriesInOrder(
  pages: AsyncIterable<readonly ObjectEntry[]>,
  { key: prefix, location }: FailedCall,
  { after = '', signal }: ListOptions,
): AsyncGenerator<ObjectEntry> {
  let last = '';
  for await (const page of pages) {
    for (const entry of page) {
      const { key } = entry;
      if (!isObjectKey(key)) continue;
      if (key < last) {
        const what = `is not in key order: received ${key} after ${last}`;
        throw new QuireError(
          'STORE_UNAVAILABLE',
          `${describeCall({ op: 'list', key: prefix, location })} ${what}.`,
        );
      }
      // A page may repeat the last entry of the previous one when objects are created or deleted
      // during the listing, and it may start with keys up to `after`.
      if (key === last || key <= after) continue;
      last = key;
      throwIfAborted(signal);
      yield entry;
    }
    throwIfAborted(signal);
  }
}

/** Reports whether a key can start with this text. If not, no request is needed. */
export function canBeginKey(prefix: string): boolean {
  return /^[A-Za-z0-9_./-]*$/.test(prefix);
}

/**
 * Returns printable ASCII text after which the same keys sort. Keys contain only printable ASCII,
 * so the text is cut at its first other character.
 */
export function asciiMark(after: string): string {
  const index = after.search(/[^ -~]/);
  if (index < 0) return after;
  const isAboveKeys = after.charCodeAt(index) > 0x7e;
  return after.slice(0, index) + (isAboveKeys ? '~' : '');
}

/**
 * Returns the token of the next page of a listing; undefined after the last page.
 *
 * @throws STORE_UNAVAILABLE when it equals the previous token, because the listing would never end
 */
export function nextToken(
  call: FailedCall,
  next: string | undefined,
  last: string | undefined,
): string | undefined {
  if (next === undefined || next === '') return undefined;
  if (next !== last) return next;
  throw endlessListing(call);
}

/** Returns the failure of a listing whose page has no usable token for the next one. */
export function endlessListing({ key, location }: FailedCall): QuireError {
  return new QuireError(
    'STORE_UNAVAILABLE',
    `list of ${key} in ${location} returned a page without a token for the next one.`,
  );
}
