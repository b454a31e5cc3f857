/**
 * What a part of the process is given to run: it says when it is ready, and runs until it is told
 * to stop.
 */
export interface RoleHooks<Ready> {
  readonly onListening: (ready: Ready) => Promise<void>;
  /** It runs until this resolves. */
  readonly untilStop: Promise<void>;
}

/** A part of the process that runs beside others, from its start to its end. */
export class StartedRole<out Ready> {
  /** Resolves once it is ready. @throws what keeps it from getting there */
  readonly ready: Promise<Ready>;
  /** Resolves when it has ended. @throws what ended it, when it was not told to */
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
    this.ready.catch(() => undefined); // the caller is told
  }

  /** Has it stop, and waits until it has. @throws what went wrong meanwhile */
  async stop(): Promise<void> {
    this.#stop.resolve();
    await this.ended;
  }
}
