import type { OwnedResult } from '@quire/api';
import type { Call } from '../call.ts';

/** Results whose details are remembered: more than a list shows. */
const rememberedMax = 5000;

/** The facts about a result that the list of all results lacks, since it opens none. */
export interface ResultDetails {
  readonly owner: string;
  /** The text of the query; null if the server does not know it. */
  readonly sql: string | null;
}

/**
 * The owners and queries of results. Each result is requested once, when its row is visible, and
 * the server reads at most one small object for it.
 */
export class ResultDetailsReader {
  readonly #call: Call;
  readonly #details = new Map<string, Promise<ResultDetails | undefined>>();

  constructor(call: Call) {
    this.#call = call;
  }

  /** Undefined if the server does not report them; they are requested again the next time. */
  read(requestId: string): Promise<ResultDetails | undefined> {
    const known = this.#details.get(requestId) ?? this.#ask(requestId);
    // The most recently used one is evicted last.
    this.#details.delete(requestId);
    this.#details.set(requestId, known);
    for (const oldest of this.#details.keys()) {
      if (this.#details.size <= rememberedMax) break;
      this.#details.delete(oldest);
    }
    return known;
  }

  async #ask(requestId: string): Promise<ResultDetails | undefined> {
    try {
      const path = `/query/resultStore/${encodeURIComponent(requestId)}`;
      const { owner, sql } = (await this.#call(path)) as unknown as OwnedResult;
      return { owner, sql };
    } catch {
      this.#details.delete(requestId);
      return undefined;
    }
  }
}
