/**
 * The callbacks of a part of the process: it reports when it is ready, and runs until it is
 * stopped.
 */
export interface RoleHooks<Ready> {
  readonly onListening: (ready: Ready) => Promise<void>;
  /** The part runs until this resolves. */
  readonly untilStop: Promise<void>;
}

/** A part of the process that runs concurrently with others, from its start to its end. */
export class StartedRole<out Ready> {
  /** Resolves once it is ready. @throws the error that prevents the start */
  readonly ready: Promise<Ready>;
  /** Resolves when it has ended. @throws the error that ended it without a stop */
  readonly ended: Promise<void>;
  readonly #stop = Promise.withResolvers<void>();

  constructor(run: (hooks: RoleHooks<Ready>) => Promise<void>) {
    const ready = Promise.withResolvers<Ready>();
    this.ready = ready.promise;
    this.ended = run({
      onListening: async (value) => ready.resolve(value),
      untilStop: this.#stop.promise,
    });
    this.ended.catch((error: unknown) => ready.reject(error));
    this.ready.catch(() => undefined); // the caller receives it
  }

  /** Stops it, and waits until it has ended. @throws an error that occurred before the end */
  async stop(): Promise<void> {
    this.#stop.resolve();
    await this.ended;
  }
}
