import type { ControllerHealthResponse } from '@quire/api';
import { unlessAborted } from '@quire/core/wait';
import { TestController } from '../testkit/controller-server.ts';
import { until } from '../testkit/until.ts';

type Name = 'ann' | 'bob' | 'root';

interface Preview {
  readonly as: Name;
  readonly end: () => void;
}

/**
 * A controller whose previews run for exactly one round each: all running ones end together when a
 * round is over.
 */
export class PreviewRounds implements AsyncDisposable {
  readonly controller: TestController;
  readonly #running: Set<Preview>;
  readonly #calls = new Set<Promise<unknown>>();
  readonly #hangUp = new AbortController();
  #answeredCount = 0;
  #arrivedCount = 0;

  private constructor(controller: TestController, running: Set<Preview>) {
    this.controller = controller;
    this.#running = running;
  }

  static async open(): Promise<PreviewRounds> {
    const running = new Set<Preview>();
    const controller = await TestController.start([], {
      preview: {
        bodyBytesMax: 4096,
        limits: {},
        concurrencyMax: 4,
        waitingMax: 8,
        principalWaitingMax: 4,
        run: async ({ body }, { signal }) => {
          const { promise, resolve } = Promise.withResolvers<void>();
          const preview = { as: body as Name, end: resolve };
          running.add(preview);
          try {
            await unlessAborted(promise, signal);
          } finally {
            running.delete(preview);
          }
          return Buffer.from('{}');
        },
      },
    });
    return new PreviewRounds(controller, running);
  }

  /** Running previews of a principal. */
  runningCount(as: Name): number {
    return [...this.#running].filter((preview) => preview.as === as).length;
  }

  /**
   * Requests previews; resolves once each is running, waiting or refused. The answers are their
   * statuses.
   */
  async start(as: Name, count: number): Promise<readonly Promise<number>[]> {
    const answers: Promise<number>[] = [];
    for (let index = 0; index < count; index += 1) {
      const answer = this.#post(as);
      answers.push(answer);
      this.#calls.add(answer);
      void answer.finally(() => this.#calls.delete(answer)).catch(() => undefined);
    }
    this.#arrivedCount += count;
    await this.settled();
    return answers;
  }

  /** Ends all previews that run, and only these. */
  async endRound(): Promise<void> {
    for (const preview of this.#running) preview.end();
    await this.settled();
  }

  /** Resolves once the given numbers of previews run and wait. */
  async untilCounts({
    running,
    waiting,
  }: {
    readonly running: number;
    readonly waiting: number;
  }): Promise<void> {
    await until(async () => {
      const { previewsRunning, previewsQueued } = await this.#health();
      return previewsRunning === running && previewsQueued === waiting;
    }, `${running} previews run and ${waiting} wait`);
  }

  /** Resolves once the controller is idle until a preview ends or another one arrives. */
  async settled(): Promise<void> {
    await until(async () => {
      const { previewsRunning, previewsQueued } = await this.#health();
      const isComplete =
        previewsRunning + previewsQueued + this.#answeredCount === this.#arrivedCount;
      return isComplete && this.#running.size === previewsRunning;
    }, 'previews with a slot run');
  }

  /** Rounds until each of these calls is answered. */
  async roundsUntilAnswered(answers: readonly Promise<number>[]): Promise<readonly number[]> {
    let round = 0;
    const rounds: number[] = [];
    const answered = answers.map(async (answer) => {
      const status = await answer;
      if (status !== 200) throw new Error(`A preview was answered with ${status}.`);
      rounds.push(round);
    });
    while (rounds.length < answers.length) {
      round += 1;
      if (round > 1000) throw new Error(`Previews are not answered after ${round} rounds.`);
      await Promise.race([this.endRound(), Promise.all(answered)]);
    }
    await Promise.all(answered);
    return rounds;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#hangUp.abort();
    await Promise.allSettled(this.#calls);
    await this.controller[Symbol.asyncDispose]();
  }

  async #health(): Promise<ControllerHealthResponse> {
    return (await (
      await this.controller.call('/health', { as: undefined })
    ).json()) as ControllerHealthResponse;
  }

  async #post(as: Name): Promise<number> {
    const { signal } = this.#hangUp;
    try {
      const response = await this.controller.call('/tables/preview', {
        method: 'POST',
        as,
        body: as,
        signal,
      });
      await response.text();
      return response.status;
    } finally {
      this.#answeredCount += 1;
    }
  }
}
