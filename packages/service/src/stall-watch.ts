import type { ServerResponse } from 'node:http';
import type { Clock } from '@quire/core';
import { sleepUnlessAborted } from '@quire/core/wait';

/** The progress of a response. */
export interface ResponseProgress {
  /** The number of bytes that the client's side has received; it never decreases. */
  readonly takenBytes: number;
  /** True if there are bytes for the client to receive. */
  readonly isWaiting: boolean;
}

/** Returns the progress of an HTTP/1.1 response. */
export function progressOf({ socket, writableLength }: ServerResponse): ResponseProgress {
  // A response that waits for its turn on the connection has no socket yet.
  if (socket === null) return { takenBytes: -1, isWaiting: false };
  return {
    takenBytes: socket.bytesWritten - socket.writableLength,
    isWaiting: writableLength > 0,
  };
}

interface WatchedResponse {
  readonly progress: () => ResponseProgress;
  readonly onStalled: () => void;
  /** The bytes received at the last check. */
  takenBytes: number;
  /** The time of the check that first saw this number, by the monotonic clock. */
  sinceMs: number;
}

/**
 * The number of checks in each timeout. A stalled response is detected after its timeout, and at
 * most half of it later.
 */
const checksPerTimeout = 4;

/**
 * Reports responses whose clients receive nothing for too long. It checks all of them periodically
 * and costs nothing in between: there is no timer for each response or chunk.
 */
export class StallWatch {
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  readonly #watched = new Set<WatchedResponse>();
  readonly #closing = new AbortController();
  #isRunning = false;

  /**
   * Creates a watch.
   *
   * @param timeoutMs Infinity disables it
   */
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
