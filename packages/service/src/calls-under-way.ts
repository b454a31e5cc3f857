import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type Clock, QuireError } from '@quire/core';
import { sleepUnlessAborted } from '@quire/core/wait';
import { progressOf, type ResponseProgress, StallWatch } from './stall-watch.ts';

/**
 * How a call ended: its response went out whole, the connection broke before, or it was closed
 * since the client took nothing for too long.
 */
export type CallOutcome = 'finished' | 'broken' | 'stalled';

/** One call from its first header to the end of its response. */
export interface Call {
  /**
   * Aborted when the client goes away before its response is whole, and when a shutdown waits no
   * longer.
   */
  readonly signal: AbortSignal;
  /** Resolves once the response is out, or cannot go out any more; never rejects. */
  readonly outcome: Promise<CallOutcome>;
}

/** What carries the response of a call, whatever its protocol. */
export interface CallTransport {
  readonly progress: () => ResponseProgress;
  /** Resolves when nothing of the response can go out any more, with whether it is out whole. */
  readonly closed: Promise<boolean>;
  /** Ends the response as it is. */
  destroy(): void;
}

/** How long calls that a shutdown has aborted may take to say so to their clients. */
const lastWordsMs = 1000;

/** The calls that are being answered, and what goes on in their wake: a shutdown waits for both. */
export class CallsUnderWay {
  readonly #controllers = new Set<AbortController>();
  readonly #work = new Set<Promise<unknown>>();
  readonly #responsesOfSocket = new WeakMap<Socket, Set<ServerResponse>>();
  readonly #clock: Clock;
  readonly #stalls: StallWatch;
  readonly #stallTimeoutMs: number;
  #isDraining = false;

  /**
   * @param stallTimeoutMs how long a client may take nothing of a response before its connection is
   * closed; Infinity: any time
   */
  constructor(clock: Clock, stallTimeoutMs = Infinity) {
    this.#clock = clock;
    this.#stallTimeoutMs = stallTimeoutMs;
    this.#stalls = new StallWatch(clock, stallTimeoutMs);
  }

  /** Whether a shutdown has begun: further calls are to be refused. */
  get isDraining(): boolean {
    return this.#isDraining;
  }

  /**
   * Whether a response is or will be written on this connection: to a call that has arrived whole,
   * or has been answered early.
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

  /** The same for a call of another protocol. */
  beginOn(transport: CallTransport): Call {
    const controller = new AbortController();
    this.#controllers.add(controller);
    let reason = 'The client closed the connection before the response was whole.';
    let unfinished: CallOutcome = 'broken';
    const unwatch = this.#stalls.watch(transport.progress, () => {
      reason = `The client took nothing of the response for ${this.#stallTimeoutMs} ms (engine.broker.page.stall.timeout).`;
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
   * Lets a shutdown wait for `work`, which must not reject. What goes on without its caller has a
   * controller of its own, which is aborted when the shutdown waits no longer.
   */
  follow(work: Promise<unknown>, controller?: AbortController): void {
    this.#work.add(work);
    if (controller !== undefined) this.#controllers.add(controller);
    void work.finally(() => {
      this.#work.delete(work);
      if (controller !== undefined) this.#controllers.delete(controller);
    });
  }

  /**
   * From now on new calls are refused; resolves once none is under way, or the grace is over: the
   * rest is then aborted.
   */
  async drain(graceMs: number): Promise<void> {
    this.#isDraining = true;
    await this.#settledWithin(graceMs);
    for (const controller of this.#controllers) {
      controller.abort(
        new QuireError(
          'SHUTTING_DOWN',
          'The server is shutting down and stopped waiting for this call.',
        ),
      );
    }
    await this.#settledWithin(lastWordsMs);
    this.#stalls.close();
  }

  /** Resolves once nothing is under way. */
  async settled(): Promise<void> {
    while (this.#work.size > 0) await Promise.all(this.#work);
  }

  async #settledWithin(durationMs: number): Promise<void> {
    const settled = new AbortController();
    await Promise.race([
      sleepUnlessAborted(this.#clock, durationMs, settled.signal),
      this.settled(),
    ]);
    settled.abort();
  }

  #responsesOn(socket: Socket | null): Set<ServerResponse> {
    if (socket === null) return new Set();
    const responses = this.#responsesOfSocket.get(socket) ?? new Set();
    this.#responsesOfSocket.set(socket, responses);
    return responses;
  }
}
