import type { OwnedResult } from '@quire/api';
import type { Call } from '../call.ts';

/** Owners that are remembered: more than a list shows. */
const ownersMax = 5000;

/**
 * Whose results they are. The list does not say it, since it opens no result: each is asked for
 * once, when its row is seen, and the server reads at most one small object for it.
 */
export class Owners {
  readonly #call: Call;
  readonly #owners = new Map<string, Promise<string | undefined>>();

  constructor(call: Call) {
    this.#call = call;
  }

  /** Undefined where the server does not tell; it is asked again the next time. */
  read(requestId: string): Promise<string | undefined> {
    const known = this.#owners.get(requestId) ?? this.#ask(requestId);
    // What was looked at last goes last.
    this.#owners.delete(requestId);
    this.#owners.set(requestId, known);
    for (const oldest of this.#owners.keys()) {
      if (this.#owners.size <= ownersMax) break;
      this.#owners.delete(oldest);
    }
    return known;
  }

  async #ask(requestId: string): Promise<string | undefined> {
    try {
      const result = await this.#call(`/query/resultStore/${encodeURIComponent(requestId)}`);
      return (result as unknown as OwnedResult).owner;
    } catch {
      this.#owners.delete(requestId);
      return undefined;
    }
  }
}
