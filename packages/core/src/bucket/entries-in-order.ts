import { QuireError, throwIfAborted } from '../errors.ts';
import { isObjectKey } from '../object-key.ts';
import type { ListOptions, ObjectEntry } from '../object-store.ts';
import { describeCall, type FailedCall } from './failed-call.ts';

/**
 * The entries of a listing that comes page by page, each once and in key order, after
 * `options.after`.
 *
 * Objects of others, whose names are not keys, are passed over. Servers order names by their bytes
 * in UTF-8: the same order for keys.
 *
 * @throws STORE_UNAVAILABLE when the server does not list in that order
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
        const what = `is not in the order of keys: ${key} came after ${last}`;
        throw new QuireError(
          'STORE_UNAVAILABLE',
          `${describeCall({ op: 'list', key: prefix, location })} ${what}.`,
        );
      }
      // A page may begin with what the last one ended with, when objects come and go meanwhile, or
      // with what is to be skipped.
      if (key === last || key <= after) continue;
      last = key;
      throwIfAborted(signal);
      yield entry;
    }
    throwIfAborted(signal);
  }
}

/** Tells whether a key can begin with this text: no server need be asked for anything else. */
export function canBeginKey(prefix: string): boolean {
  return /^[A-Za-z0-9_./-]*$/.test(prefix);
}

/**
 * Text of printable ASCII that the same keys sort after: keys have no other characters, so what
 * follows one decides nothing.
 */
export function asciiMark(after: string): string {
  const index = after.search(/[^ -~]/);
  if (index < 0) return after;
  const isAboveKeys = after.charCodeAt(index) > 0x7e;
  return after.slice(0, index) + (isAboveKeys ? '~' : '');
}

/**
 * Returns the token of the next page of a listing; undefined after the last one.
 *
 * @throws STORE_UNAVAILABLE when it is that of the page before: the listing would never end
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

/** Returns the failure of a listing whose pages do not say how it goes on. */
export function endlessListing({ key, location }: FailedCall): QuireError {
  return new QuireError(
    'STORE_UNAVAILABLE',
    `list of ${key} in ${location} gave a page without a token for the next one.`,
  );
}
