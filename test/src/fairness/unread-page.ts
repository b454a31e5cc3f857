import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { SeededRandom } from '@quire/core/testing';
import type { ResultSource } from '@quire/results';
import { makeVector, Table } from 'apache-arrow';

/** Rows of a number each that compression cannot make much smaller. */
export function numbers(rowCount: number): ResultSource {
  const random = new SeededRandom(rowCount);
  const table = new Table({
    n: makeVector(Int32Array.from({ length: rowCount }, () => random.integer(2 ** 31 - 1))),
  });
  const batches = async function* () {
    yield* table.batches;
  };
  return { schema: table.schema, batches: batches() };
}

export interface UnreadCall {
  readonly as?: string;
  readonly encoding?: string;
}

/**
 * Requests a page over a connection of its own; resolves with the response once its headers have
 * arrived, without reading its body.
 */
export async function openUnread(
  url: string,
  { as = 'ann', encoding = 'identity' }: UnreadCall = {},
): Promise<IncomingMessage> {
  const headers = { authorization: `Bearer ${as}-token`, 'accept-encoding': encoding };
  const request = get(url, { headers, agent: false });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  response.on('error', () => undefined); // the server may end it
  return response;
}
