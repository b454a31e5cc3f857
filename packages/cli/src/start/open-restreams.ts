import { join } from 'node:path';
import type { TableEngine } from '@quire/core/table-engine';
import { Restreams } from '@quire/restream';
import { FileObjectStore } from '@quire/store-file';
import type { Logger } from 'pino';
import type { Environment } from '../environment.ts';
import type { LiveSettings } from './live-settings.ts';

/** The tables of this process, and the jobs that rebuild them. */
export interface OpenRestreams extends AsyncDisposable {
  readonly engine: TableEngine;
  readonly restreams: Restreams;
}

const leaseMs = 30_000;
const settings = { pollMs: 1_000, noProgressMaxMs: 600_000, commitMaxMs: 600_000, commitRetryMs: 60_000 } as const;

/** Opens the restream jobs of a table server in this process, whose records lie in a directory beside its tables. */
export async function openRestreams(
  live: LiveSettings,
  engine: TableEngine,
  { environment, logger }: { readonly environment: Environment; readonly logger: Logger },
): Promise<OpenRestreams> {
  const { clock, random } = environment;
  const root = join(live.current.tableServer.dataDir ?? '', 'restreams');
  const store = await FileObjectStore.open({ root, clock, random });
  const restreams = new Restreams({ engine, store, clock, random, leaseMs, settings: () => settings, log: logger });
  return {
    engine,
    restreams,
    async [Symbol.asyncDispose](): Promise<void> {
      await restreams[Symbol.asyncDispose]();
      await store[Symbol.asyncDispose]();
    },
  };
}
