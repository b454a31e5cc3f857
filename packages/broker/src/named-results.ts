import { isQuireError, isRequestId, QuireError } from '@quire/core';
import type { Principal } from '@quire/auth';
import type { Result } from '@quire/results';
import type { BrokerContext } from './broker-context.ts';
import { OwnResults } from './own-results.ts';
import { assertNotFailed } from './send-growing-page.ts';

/** As many results as one query may name. */
const namedMax = 16;

/**
 * Texts, names in quotes and comments, which are passed over; else a call of `result` with a text.
 * Each ends with the SQL at the latest.
 */
const pieces =
  /'[^']*(?:'|$)|"[^"]*(?:"|$)|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|\bresult\s*\(\s*'(?<id>[^']*)'\s*\)/gi;

/**
 * What a query calls `result` with. The engine has the last word on what is such a call; it reads
 * nothing that was not found here.
 */
export function namedResults(sql: string): readonly string[] {
  if (!/\bresult\s*\(/i.test(sql)) return [];
  const ids = [...sql.matchAll(pieces)].flatMap(({ groups }) => groups?.['id'] ?? []);
  return [...new Set(ids.map((id) => id.toLowerCase()))];
}

/**
 * Opens the results that a query names, for those who may read their pages.
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
    // It may have a function of that name.
    if (!ids.some(isRequestId)) return [];
    throw new QuireError(
      'INVALID_PARAMETER',
      "The query reads result('…'), which the engine here cannot do; only the embedded one can.",
    );
  }
  if (ids.length > namedMax) {
    throw new QuireError(
      'INVALID_PARAMETER',
      `The query names ${ids.length} results; expected at most ${namedMax}.`,
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
          `The query ${id} runs at another broker; its result can be queried when it is DONE.`,
        );
      }
    }),
  );
}
