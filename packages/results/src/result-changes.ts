import type { RequestId } from '@quire/core';
import { KeyedQueue } from '@quire/core/wait';
import type { ResultAdmission } from './result-admission.ts';

/**
 * Changes of stored results: those of one come one after the other, and the admission is told of
 * each, also when it failed.
 */
export class ResultChanges {
  readonly #queue = new KeyedQueue<RequestId>();
  readonly #admission: ResultAdmission;

  constructor(admission: ResultAdmission) {
    this.#admission = admission;
  }

  async run<T>(requestId: RequestId, change: () => Promise<T>): Promise<T> {
    try {
      return await this.#queue.run(requestId, change);
    } finally {
      this.#admission.changed?.(requestId);
    }
  }
}
