import { isQuireError, isRequestId, QuireError } from '@quire/core';
import type { Principal } from '@quire/auth';
import type { Result } from '@quire/results';
import type { BrokerContext } from './broker-context.ts';
import { OwnResults } from './own-results.ts';
import { assertNotFailed } from './send-growing-page.ts';
import { skippedSql } from './skipped-sql.ts';

/** The maximum number of results that one query may reference. */
const namedMax = 16;

/** Matches a call of `result` with a text, or what is skipped. */
const pieces = new RegExp(String.raw`\bresult\s*\(\s*'(?<id>[^']*)'\s*\)|${skippedSql}`, 'gi');

/**
 * Returns the arguments of calls of `result` in a query. The engine decides what is such a call,
 * but reads only results found here.
 */
export function namedResults(sql: string): readonly string[] {
  if (!/\bresult\s*\(/i.test(sql)) return [];
  const ids = [...sql.matchAll(pieces)].flatMap(({ groups }) => groups?.['id'] ?? []);
  return [...new Set(ids.map((id) => id.toLowerCase()))];
}

/**
 * Opens the results that a query references, if the caller may read them.
 *
 * @throws INVALID_PARAMETER when the engine cannot read results, or there are too many
 * @throws CONFLICT when one is still being written
 * @throws as `ResultStore.open`
 */
export async function openNamedResults(
  context: BrokerContext,
  principal: Principal,
  sql: string,
  signal: AbortSignal,
): Promise<readonly Result[]> {
  const ids = namedResults(sql);
  if (ids.length === 0) return [];
  if (context.engine.readsResults !== true) {
    // The engine may have a function with that name.
    if (!ids.some(isRequestId)) return [];
    throw new QuireError(
      'INVALID_PARAMETER',
      "The query reads result('…'), which this engine does not support; only the embedded one does.",
    );
  }
  if (ids.length > namedMax) {
    throw new QuireError(
      'INVALID_PARAMETER',
      `The query references ${ids.length} results; expected at most ${namedMax}.`,
    );
  }
  const own = new OwnResults(context.results, principal);
  return Promise.all(
    ids.map(async (id) => {
      const running = context.queries.running(principal, id);
      if (running !== undefined) {
        throw new QuireError(
          'CONFLICT',
          `The query ${id} is ${running.state}; its result can be queried when it is DONE.`,
        );
      }
      assertNotFailed(context, principal, id);
      try {
        return await own.open(id, { signal });
      } catch (error) {
        if (!isQuireError(error, 'QUERY_ELSEWHERE')) throw error;
        throw new QuireError(
          'CONFLICT',
          `The query ${id} runs on another broker; its result can be queried when it is DONE.`,
        );
      }
    }),
  );
}
