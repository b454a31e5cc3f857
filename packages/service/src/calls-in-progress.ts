import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type Clock, QuireError } from '@quire/core';
import { sleepUnlessAborted } from '@quire/core/wait';
import { progressOf, type ResponseProgress, StallWatch } from './stall-watch.ts';

/**
 * The end of a call: its response was sent completely, the connection broke, or it was closed
 * because the client received nothing for too long.
 */
export type CallOutcome = 'finished' | 'broken' | 'stalled';

/** One call from its first header to the end of its response. */
export interface Call {
  /**
   * Aborted when the client disconnects before its response is complete, and when a shutdown stops
   * waiting.
   */
  readonly signal: AbortSignal;
  /** Resolves once the response is sent, or can no longer be sent; never rejects. */
  readonly outcome: Promise<CallOutcome>;
}

/** The carrier of a call's response, for any protocol. */
export interface CallTransport {
  readonly progress: () => ResponseProgress;
  /** Resolves when nothing more can be sent; to true if the response was sent completely. */
  readonly closed: Promise<boolean>;
  /** Ends the response unfinished. */
  destroy(): void;
}

/** The time for calls aborted by a shutdown to send an error to their clients. */
const errorReplyMs = 1000;

/** The calls in progress, and the work that they have started: a shutdown waits for both. */
export class CallsInProgress {
  readonly #controllers = new Set<AbortController>();
  readonly #work = new Set<Promise<unknown>>();
  readonly #responsesOfSocket = new WeakMap<Socket, Set<ServerResponse>>();
  readonly #clock: Clock;
  readonly #stalls: StallWatch;
  readonly #stallTimeoutMs: number;
  #isDraining = false;
  /** The reason with which a shutdown has aborted the calls; undefined while none has. */
  #stopReason: QuireError | undefined;

  /**
   * Creates an empty set.
   *
   * @param stallTimeoutMs the time after which the connection of a client that receives nothing of
   *   a response is closed; Infinity: never
   */
  constructor(clock: Clock, stallTimeoutMs = Infinity) {
    this.#clock = clock;
    this.#stallTimeoutMs = stallTimeoutMs;
    this.#stalls = new StallWatch(clock, stallTimeoutMs);
  }

  /** True if a shutdown has started: further calls must be refused. */
  get isDraining(): boolean {
    return this.#isDraining;
  }

  /**
   * Reports whether a response is or will be written on this connection: to a call that was
   * received completely, or answered early.
   */
  isBusy(socket: Socket): boolean {
    const responses = this.#responsesOfSocket.get(socket) ?? [];
    return [...responses].some((response) => response.headersSent || response.req.complete);
  }

  begin(response: ServerResponse): Call {
    const responses = this.#responsesOn(response.socket);
    responses.add(response);
    response.once('close', () => responses.delete(response));
    return this.beginOn({
      progress: () => progressOf(response),
      closed: new Promise((resolve) => {
        response.once('close', () => resolve(response.writableFinished));
      }),
      destroy: () => response.destroy(),
    });
  }

  /** Starts a call of another protocol. */
  beginOn(transport: CallTransport): Call {
    const controller = new AbortController();
    this.#controllers.add(controller);
    let reason = 'The client closed the connection before the response was complete.';
    let unfinished: CallOutcome = 'broken';
    const unwatch = this.#stalls.watch(transport.progress, () => {
      reason = `The client received nothing of the response for ${this.#stallTimeoutMs} ms (engine.broker.page.stall.timeout).`;
      unfinished = 'stalled';
      transport.destroy();
    });
    const outcome = transport.closed.then((isWhole): CallOutcome => {
      this.#controllers.delete(controller);
      unwatch();
      if (!isWhole) controller.abort(new QuireError('ABORTED', reason));
      return isWhole ? 'finished' : unfinished;
    });
    this.follow(outcome);
    return { signal: controller.signal, outcome };
  }

  /**
   * Makes a shutdown wait for `work`, which must not reject. Work that outlives its call has its
   * own controller, which is aborted when the shutdown stops waiting, or now if it has.
   */
  follow(work: Promise<unknown>, controller?: AbortController): void {
    this.#work.add(work);
    if (controller !== undefined) this.#controllers.add(controller);
    // A call may start its work when it has been aborted itself.
    if (this.#stopReason !== undefined) controller?.abort(this.#stopReason);
    void work.finally(() => {
      this.#work.delete(work);
      if (controller !== undefined) this.#controllers.delete(controller);
    });
  }

  /**
   * Refuses new calls; resolves once none is in progress, or the grace period is over or `atOnce`
   * is aborted, which aborts the rest.
   */
  async drain(graceMs: number, atOnce?: AbortSignal): Promise<void> {
    this.#isDraining = true;
    await this.#settledWithin(graceMs, atOnce);
    this.#stopReason = new QuireError(
      'SHUTTING_DOWN',
      'The server is shutting down and stopped waiting for this call.',
    );
    for (const controller of this.#controllers) controller.abort(this.#stopReason);
    await this.#settledWithin(errorReplyMs);
    this.#stalls.close();
  }

  /** Resolves once nothing is in progress. */
  async settled(): Promise<void> {
    while (this.#work.size > 0) await Promise.all(this.#work);
  }

  async #settledWithin(durationMs: number, atOnce?: AbortSignal): Promise<void> {
    const settled = new AbortController();
    const { signal } = settled;
    const either = atOnce === undefined ? signal : AbortSignal.any([signal, atOnce]);
    await Promise.race([sleepUnlessAborted(this.#clock, durationMs, either), this.settled()]);
    settled.abort();
  }

  #responsesOn(socket: Socket | null): Set<ServerResponse> {
    if (socket === null) return new Set();
    const responses = this.#responsesOfSocket.get(socket) ?? new Set();
    this.#responsesOfSocket.set(socket, responses);
    return responses;
  }
}
