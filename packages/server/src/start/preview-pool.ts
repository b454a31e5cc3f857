import type { ControllerMetrics, RunPreview } from '@quire/controller';
import { type Clock, QuireError } from '@quire/core';
import { Deadline } from '@quire/core/wait';
import { WorkerPool } from '../workers/worker-pool.ts';
import type { Logger } from 'pino';
import type { LiveSettings } from '../live-settings.ts';
import type { LocationSettings } from '../stores/open-store.ts';
import { previewBegins, previewTooLong, type PreviewWork } from './preview-worker-setup.ts';
import { heapFlags } from './worker-heap.ts';

/**
 * The processes that previews run in. They start when there is a preview, and stop when there was
 * none for a while.
 */
export class PreviewPool implements AsyncDisposable {
  readonly #live: LiveSettings;
  readonly #clock: Clock;
  readonly #pool: WorkerPool;

  constructor(
    live: LiveSettings,
    {
      clock,
      logger,
      metrics,
    }: { readonly clock: Clock; readonly logger: Logger; readonly metrics?: ControllerMetrics },
  ) {
    const { store, backends, previewWorkers } = live.current;
    const { memoryBytesMax, idleMs, killGraceMs } = previewWorkers;
    const setup: LocationSettings = { store, backends };
    this.#live = live;
    this.#clock = clock;
    this.#pool = new WorkerPool({
      work: 'preview',
      // Beside this file, and in the same form: source or built.
      module: new URL(
        import.meta.url.endsWith('.ts') ? './preview-worker.ts' : './preview-worker.js',
        import.meta.url,
      ),
      setup,
      // The controller refuses what is more than `controller.preview.concurrency`, which may
      // change.
      sizeMax: Infinity,
      sizeMin: 0,
      idleMs,
      killGraceMs,
      memory: { maxBytes: memoryBytesMax, setting: 'controller.preview.workers.memory.maxMB' },
      nodeFlags: heapFlags(memoryBytesMax),
      threadPoolSize: 4,
      clock,
      onKilled: ({ pid, reason, detail }) => {
        metrics?.observeKilledWorker(reason);
        logger.warn({ pid, reason, detail }, 'a worker ended with its preview');
      },
    });
    metrics?.watchWorkers(() => this.#pool.status);
  }

  /** What health says of it. */
  get health(): {
    readonly count: number;
    readonly busyCount: number;
    readonly killedCount: number;
  } {
    const { count, busyCount, killed } = this.#pool.status;
    return { count, busyCount, killedCount: killed.time + killed.memory + killed.crash };
  }

  /**
   * @throws what the preview throws; QUERY_LIMIT_EXCEEDED when it was ended for its time or memory;
   * INTERNAL, SHUTTING_DOWN, ABORTED
   */
  readonly run: RunPreview = async (call, { signal }) => {
    const { preview, streams } = this.#live.current;
    const work: PreviewWork = { ...call, preview, streams };
    using deadline = new Deadline({ clock: this.#clock, signal, error: tooLong });
    const handlers = { [previewBegins]: async () => deadline.start(preview.timeMaxMs) };
    return (await this.#pool.run(work, { signal: deadline.signal, handlers })) as Uint8Array;
  };

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pool[Symbol.asyncDispose]();
  }
}

function tooLong(timeoutMs: number): QuireError {
  const message = `The preview took longer than the ${timeoutMs} ms that it may take (controller.preview.timeout) and was ended.`;
  return new QuireError(previewTooLong, message);
}
