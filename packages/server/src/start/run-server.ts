import { QuireError } from '@quire/core';
import type { TableEngine } from '@quire/core/table-engine';
import type { TablesContext } from '../engines/engine-kind.ts';
import { engineKindOf } from '../engines/engine-kinds.ts';
import type { LiveSettings } from '../live-settings.ts';
import { openSamples, type RunningSamples } from '../samples/open-samples.ts';
import type { RoleHooks } from './started-role.ts';

/** An open table server, for its operator and the other roles of the process. */
export interface RunningServer {
  readonly dataDirectory: string;
  readonly engine: TableEngine;
  /** The samples, if any. */
  readonly samples: RunningSamples | undefined;
}

export interface ServerRun extends RoleHooks<RunningServer>, TablesContext {}

/**
 * Opens the tables in the settings, and serves them until it is stopped.
 *
 * @throws INVALID_SETTING when this role has no tables, or the settings have no directory
 */
export async function runServer(
  live: LiveSettings,
  { environment, logger, onListening, untilStop }: ServerRun,
): Promise<void> {
  const { clock } = environment;
  const { tableServer, streams } = live.current;
  const kind = engineKindOf(live.current);
  await using opened =
    kind.tablesRole === 'server'
      ? await kind.openTableEngine(live, { environment, logger })
      : undefined;
  if (opened === undefined) {
    throw new QuireError(
      'INVALID_SETTING',
      `engine.kind = ${kind.name}: the cluster stores the tables, so the role server has nothing to do.`,
    );
  }
  const { engine, directory } = opened;
  const tables = await engine.listTables();
  logger.info(
    { directory, tables: tables.map((table) => table.tableNameWithType) },
    'table server is open',
  );
  const { samplesDir } = tableServer;
  await using samples =
    samplesDir === undefined
      ? undefined
      : await openSamples(samplesDir, { engine, streams: streams.fileDirectory, clock, logger });
  await onListening({ dataDirectory: directory, engine, samples: samples?.running });
  await untilStop;
  logger.info('table server is stopping: writes in progress finish first');
}
