import { Buffer } from 'node:buffer';
import type { PreviewCall, RunPreview } from '@quire/controller';
import { isQuireError, systemClock, systemRandom } from '@quire/core';
import { moduleBeside } from '@quire/core/process';
import type { Settings } from '@quire/settings';
import { openStream, parseStreamConfig } from '@quire/streams';
import { createUploadFinder, previewText } from '@quire/tables';
import type { LiveSettings } from '../live-settings.ts';
import type { LocationSettings } from '../stores/open-store.ts';
import { PreviewSources } from '../stores/preview-sources.ts';
import { heapFlags, type WorkContext, type WorkerKind } from '../workers/worker-kind.ts';
import type { WorkerPool } from '../workers/worker-pool.ts';

/** A preview, with the live settings at the time of its call. */
interface PreviewWork extends PreviewCall {
  readonly preview: Settings['preview'];
  readonly streams: Settings['streams'];
}

/** Runs table previews. Files and streams are opened in the process of the preview. */
export const workerKind: WorkerKind<LocationSettings, PreviewWork, Uint8Array> = {
  name: 'preview',
  module: moduleBeside(import.meta.url, 'preview-kind').href,
  setup: ({ store, backends }) => ({ store, backends }),
  limits: ({ previewWorkers: { memoryBytesMax, idleMs, killGraceMs } }) => ({
    // The controller limits them with `controller.preview.concurrency`, which is live.
    sizeMax: Infinity,
    sizeMin: 0,
    idleMs,
    killGraceMs,
    memory: { maxBytes: memoryBytesMax, setting: 'controller.preview.workers.memory.maxMB' },
    nodeFlags: heapFlags(memoryBytesMax),
    threadPoolSize: 4,
  }),
  open: async (setup) => {
    const sources = new PreviewSources(setup, { clock: systemClock, random: systemRandom });
    return {
      run: (work, context) => runPreview(work, sources, context),
      [Symbol.asyncDispose]: () => sources[Symbol.asyncDispose](),
    };
  },
};

/** Returns a function that runs previews in the processes of a pool. */
export function previewsIn(
  pool: WorkerPool<LocationSettings, PreviewWork, Uint8Array>,
  live: LiveSettings,
): RunPreview {
  return (call, { signal }) => {
    const { preview, streams } = live.current;
    const timeLimit = { maxMs: preview.timeMaxMs, setting: 'controller.preview.timeout' };
    return pool.run({ ...call, preview, streams }, { signal, timeLimit });
  };
}

async function runPreview(
  { body, mayReadSources, upload, batchConfig, preview, streams }: PreviewWork,
  sources: PreviewSources,
  { signal }: WorkContext,
): Promise<Uint8Array> {
  const clock = systemClock;
  const finder =
    upload === undefined ? sources.finderOf(preview.sources) : createUploadFinder(upload);
  const pieces = await previewText(body, {
    clock,
    limits: preview,
    batchConfig,
    signal: unlessTimeExceeded(signal),
    ...((mayReadSources || upload !== undefined) && { finder }),
    ...(mayReadSources && {
      openStream: (config) => ({
        start: parseStreamConfig(config).start,
        stream: openStream(config, { ...streams, clock }),
      }),
    }),
  });
  const answer: Buffer[] = [];
  for await (const piece of pieces) answer.push(Buffer.from(piece));
  return Buffer.concat(answer);
}

/**
 * Returns a signal that is aborted when the caller disconnects, but not when the preview times out:
 * the preview then returns its rows so far.
 */
function unlessTimeExceeded(signal: AbortSignal): AbortSignal {
  const gone = new AbortController();
  const onAbort = (): void => {
    if (!isQuireError(signal.reason, 'QUERY_LIMIT_EXCEEDED')) gone.abort(signal.reason);
  };
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  return gone.signal;
}
