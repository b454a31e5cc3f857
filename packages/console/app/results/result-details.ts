import type { OwnedResult } from '@quire/api';
import type { Call } from '../call.ts';

/** Results whose details are remembered: more than a list shows. */
const rememberedMax = 5000;

/** What the list of all results does not say, since it opens none. */
export interface ResultDetails {
  readonly owner: string;
  /** The text of the query; null where the server does not know it. */
  readonly sql: string | null;
}

/**
 * The owners and queries of results. Each result is asked for once, when its row is seen, and the
 * server reads at most one small object for it.
 */
export class ResultDetailsReader {
  readonly #call: Call;
  readonly #details = new Map<string, Promise<ResultDetails | undefined>>();

  constructor(call: Call) {
    this.#call = call;
  }

  /** Undefined where the server does not tell; it is asked again the next time. */
  read(requestId: string): Promise<ResultDetails | undefined> {
    const known = this.#details.get(requestId) ?? this.#ask(requestId);
    // What was looked at last goes last.
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
