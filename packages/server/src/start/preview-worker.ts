import { Buffer } from 'node:buffer';
import { isQuireError, systemClock, systemRandom } from '@quire/core';
import { openStream, parseStreamConfig } from '@quire/streams';
import { previewText } from '@quire/tables';
import type { WorkContext, WorkRunner } from '../workers/worker-module.ts';
import type { LocationSettings } from '../stores/open-store.ts';
import { PreviewSources } from './preview-sources.ts';
import { previewBegins, previewTooLong, type PreviewWork } from './preview-worker-setup.ts';

/** Opens a process that runs previews (../workers); files and streams are opened in it. */
export async function openWorker(setup: unknown): Promise<WorkRunner> {
  const sources = new PreviewSources(setup as LocationSettings, {
    clock: systemClock,
    random: systemRandom,
  });
  return {
    run: async (input, context) => {
      await context.call(previewBegins, undefined);
      return run(input as PreviewWork, sources, context);
    },
    [Symbol.asyncDispose]: () => sources[Symbol.asyncDispose](),
  };
}

async function run(
  { body, mayReadSources, preview, streams }: PreviewWork,
  sources: PreviewSources,
  { signal }: WorkContext,
): Promise<Uint8Array> {
  const clock = systemClock;
  const finder = sources.finderOf(preview.sources);
  const pieces = await previewText(body, {
    clock,
    limits: preview,
    signal: whenUnwanted(signal),
    ...(mayReadSources && {
      finder,
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
 * Aborted when nobody wants the answer any more. A preview whose time is over is wanted still: it
 * answers with what it has.
 */
function whenUnwanted(signal: AbortSignal): AbortSignal {
  const unwanted = new AbortController();
  const onAbort = (): void => {
    if (!isQuireError(signal.reason, previewTooLong)) unwanted.abort(signal.reason);
  };
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  return unwanted.signal;
}
