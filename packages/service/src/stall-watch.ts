import type { ServerResponse } from 'node:http';
import type { Clock } from '@quire/core';
import { sleepUnlessAborted } from '@quire/core/wait';

/** A response as far as it has gone out. */
export interface ResponseProgress {
  /** Bytes that the client's side has taken by now; it never shrinks. */
  readonly takenBytes: number;
  /** Whether there is something for the client to take. */
  readonly isWaiting: boolean;
}

/** Returns how far a response of HTTP/1.1 has gone out. */
export function progressOf({ socket, writableLength }: ServerResponse): ResponseProgress {
  // One that waits for its turn on the connection has no socket yet.
  if (socket === null) return { takenBytes: -1, isWaiting: false };
  return {
    takenBytes: socket.bytesWritten - socket.writableLength,
    isWaiting: writableLength > 0,
  };
}

interface WatchedResponse {
  readonly progress: () => ResponseProgress;
  readonly onStalled: () => void;
  /** Bytes that had been taken when it was last looked at. */
  takenBytes: number;
  /** When that was seen first, by the monotonic clock. */
  sinceMs: number;
}

/** A stalled response is noticed after its timeout, and at most half of it later. */
const checksPerTimeout = 4;

/**
 * Reports responses of which the client takes nothing for too long. It looks at all of them from
 * time to time and costs nothing in between: no timer is set for a response or for a chunk of one.
 */
export class StallWatch {
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  readonly #watched = new Set<WatchedResponse>();
  readonly #closing = new AbortController();
  #isRunning = false;

  /** @param timeoutMs Infinity switches it off */
  constructor(clock: Clock, timeoutMs: number) {
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
  }

  /** Watches a response until the returned function is called; `onStalled` is called once. */
  watch(progress: () => ResponseProgress, onStalled: () => void): () => void {
    if (this.#timeoutMs === Infinity) return () => undefined;
    const watched: WatchedResponse = { progress, onStalled, takenBytes: -1, sinceMs: 0 };
    this.#watched.add(watched);
    if (!this.#isRunning) void this.#run();
    return () => void this.#watched.delete(watched);
  }

  /** Ends all watching. */
  close(): void {
    this.#closing.abort();
  }

  async #run(): Promise<void> {
    const { signal } = this.#closing;
    this.#isRunning = true;
    while (this.#watched.size > 0 && !signal.aborted) {
      await sleepUnlessAborted(this.#clock, this.#timeoutMs / checksPerTimeout, signal);
      for (const each of this.#watched) this.#check(each);
    }
    this.#isRunning = false;
  }

  #check(watched: WatchedResponse): void {
    const { progress, onStalled } = watched;
    const nowMs = this.#clock.monotonicMs();
    const { takenBytes, isWaiting } = progress();
    if (!isWaiting || takenBytes !== watched.takenBytes) {
      watched.takenBytes = takenBytes;
      watched.sinceMs = nowMs;
    } else if (nowMs - watched.sinceMs >= this.#timeoutMs) {
      this.#watched.delete(watched);
      onStalled();
    }
  }
}
