import { mayRead, type Principal, RefusalReason } from '@quire/auth';
import { type CallOptions, isQuireError, QuireError } from '@quire/core';
import type { OpenOptions, Result, ResultEntry, ResultStore } from '@quire/results';
import { principalOf, requestIdOf, signalOf } from '@quire/service';
import type { FastifyRequest } from 'fastify';

/** The reason in the log for a call about a result of another owner, which is answered with 404. */
const foreign = new RefusalReason('the result belongs or belonged to another principal');

/**
 * The results that a principal may open, renew and delete. Other callers get the same error as for
 * an unknown id, after the same requests to the store.
 */
export class OwnResults {
  readonly #results: ResultStore;
  readonly #principal: Principal;

  constructor(results: ResultStore, principal: Principal) {
    this.#results = results;
    this.#principal = principal;
  }

  /** Opens a result. @throws as `ResultStore.open` */
  async open(requestId: string, options: CallOptions): Promise<Result> {
    const cached = this.#results.openCached(requestId, (owner) => this.#mayRead(owner));
    return (
      cached ??
      (await this.#asReader((access) => this.#results.open(requestId, { ...options, ...access })))
    );
  }

  /** Renews a result. @throws as `ResultStore.renew` */
  renew(requestId: string, durationMs: number): Promise<ResultEntry> {
    return this.#asReader((access) => this.#results.renew(requestId, durationMs, access));
  }

  /** Deletes a result. @throws as `ResultStore.delete` */
  delete(requestId: string): Promise<ResultEntry> {
    return this.#asReader((access) => this.#results.delete(requestId, access));
  }

  #mayRead(owner: string | undefined): boolean {
    return owner === undefined ? this.#principal.role === 'admin' : mayRead(this.#principal, owner);
  }

  async #asReader<T>(task: (access: Pick<OpenOptions, 'mayRead'>) => Promise<T>): Promise<T> {
    let isForeign = false;
    const access = {
      mayRead: (owner: string | undefined): boolean => {
        const isAllowed = this.#mayRead(owner);
        isForeign ||= !isAllowed && owner !== undefined;
        return isAllowed;
      },
    };
    try {
      return await task(access);
    } catch (error) {
      if (!isForeign || !isQuireError(error, 'RESULT_NOT_FOUND')) throw error;
      throw new QuireError(error.code, error.message, { cause: foreign });
    }
  }
}

/** Opens the result in a call. @throws as `ResultStore.open` */
export function openRequested(
  { results }: { readonly results: ResultStore },
  request: FastifyRequest,
): Promise<Result> {
  return new OwnResults(results, principalOf(request)).open(requestIdOf(request), {
    signal: signalOf(request),
  });
}
