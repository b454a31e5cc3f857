import { ownerTagOf, type RequestId } from '@quire/core';
import type { QueuedWrite } from './room-queue.ts';

/**
 * Writes in flight, and the bytes that failed ones may have left behind, summed up for all owners
 * or for one.
 */
export class WritesUnderWay {
  readonly #writes = new Map<RequestId, QueuedWrite>();
  /** They count as used until a listing tells what is really there. */
  readonly #doubtful = new Map<RequestId, number>();

  has(requestId: RequestId): boolean {
    return this.#writes.has(requestId);
  }

  begin(requestId: RequestId, write: QueuedWrite): void {
    this.#writes.set(requestId, write);
  }

  end(requestId: RequestId): void {
    this.#writes.delete(requestId);
  }

  /** Of the writes in flight. */
  requestIds(): Iterable<RequestId> {
    return this.#writes.keys();
  }

  /** Those in flight, in the order in which they began. */
  values(): Iterable<QueuedWrite> {
    return this.#writes.values();
  }

  /** A failed write may have left so much. */
  doubt(requestId: RequestId, bytes: number): void {
    this.#doubtful.set(requestId, bytes);
  }

  /** Whose left-overs are not known. */
  doubted(): readonly RequestId[] {
    return [...this.#doubtful.keys()];
  }

  /** A listing has shown what is left. */
  settleDoubt(requestId: RequestId): void {
    this.#doubtful.delete(requestId);
  }

  heldBytes(): number {
    let sum = 0;
    for (const { heldBytes } of this.#writes.values()) sum += heldBytes;
    return sum;
  }

  doubtfulBytes(): number {
    let sum = 0;
    for (const bytes of this.#doubtful.values()) sum += bytes;
    return sum;
  }

  /** What the writes of one owner hold and wait for. */
  bytesOf(ownerTag: number | undefined): {
    readonly heldBytes: number;
    readonly wantedBytes: number;
  } {
    let [heldBytes, wantedBytes] = [0, 0];
    for (const write of this.#writes.values()) {
      if (write.ownerTag !== ownerTag) continue;
      heldBytes += write.heldBytes;
      wantedBytes += write.wantedBytes;
    }
    return { heldBytes, wantedBytes };
  }

  doubtfulBytesOf(ownerTag: number | undefined): number {
    let sum = 0;
    for (const [requestId, bytes] of this.#doubtful) {
      if (ownerTagOf(requestId) === ownerTag) sum += bytes;
    }
    return sum;
  }
}
