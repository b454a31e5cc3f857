import type { StoredResult } from '@quire/api';
import { QuireError } from '@quire/core';

/** An entry of a list, as its broker sent it, and its sort key. */
export interface ListedResult {
  readonly json: Uint8Array;
  readonly submissionTimeMs: number;
  readonly requestId: string;
}

/** A list of a broker, read up to its first entry. */
export interface OpenList extends AsyncDisposable {
  readonly first: ListedResult | undefined;
  next(): Promise<ListedResult | undefined>;
}

/**
 * Opens a list: reads up to its first entry, so that a failing broker is known before the response
 * starts.
 *
 * @throws BROKER_FAILED when it is not a list, and any error of the iteration
 */
export async function openList(elements: AsyncIterable<Uint8Array>): Promise<OpenList> {
  const iterator = elements[Symbol.asyncIterator]();
  const next = async (): Promise<ListedResult | undefined> => {
    const element = await iterator.next();
    if (element.done === true) return undefined;
    try {
      return parseEntry(element.value);
    } catch (error) {
      await iterator.return?.();
      throw error;
    }
  };
  const first = await next();
  return {
    first,
    next,
    [Symbol.asyncDispose]: async () => {
      await iterator.return?.();
    },
  };
}

/** Merges lists that are sorted newest first, without duplicates. Holds one entry of each. */
export async function* mergeLists(lists: readonly OpenList[]): AsyncGenerator<ListedResult> {
  try {
    const heads = lists.flatMap((list) =>
      list.first === undefined ? [] : [{ list, entry: list.first }],
    );
    let lastId: string | undefined;
    while (heads.length > 0) {
      heads.sort((one, other) => newestFirst(one.entry, other.entry));
      const [newest] = heads;
      if (newest === undefined) return;
      // Brokers that share a store may list the same result.
      if (newest.entry.requestId !== lastId) yield newest.entry;
      lastId = newest.entry.requestId;
      const following = await newest.list.next();
      if (following === undefined) heads.shift();
      else newest.entry = following;
    }
  } finally {
    await Promise.all(lists.map((list) => list[Symbol.asyncDispose]()));
  }
}

/** Compares two entries in the brokers' order. */
function newestFirst(one: ListedResult, other: ListedResult): number {
  return (
    other.submissionTimeMs - one.submissionTimeMs || (one.requestId < other.requestId ? 1 : -1)
  );
}

function parseEntry(json: Uint8Array): ListedResult {
  const { submissionTimeMs, requestId } = JSON.parse(
    Buffer.from(json).toString(),
  ) as Partial<StoredResult>;
  if (typeof submissionTimeMs === 'number' && typeof requestId === 'string') {
    return { json, submissionTimeMs, requestId };
  }
  throw new QuireError('BROKER_FAILED', "A broker's list has an entry that is not a result.");
}
