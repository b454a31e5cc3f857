import { type ControllerTables, Restreams } from '@quire/controller';
import type { ObjectStore } from '@quire/core';
import type { SeededRandom } from '@quire/core/testing';
import { FileObjectStore } from '@quire/store-file';
import type { MessageStream } from '@quire/streams';
import { EmbeddedTableEngine, type EmbeddedTableEngineOptions } from '@quire/table-server';
import { fileSystemOf, pathOfMount } from './file-system.ts';
import type { SimulatedProcess } from './machine.ts';
import type { Mount } from './mount.ts';
import { SimulatedStream, type StreamConditions, type Topic } from './stream.ts';

const minuteMs = 60_000;

/**
 * The time for which unreferenced files of tables are kept, first in place and then in the trash.
 */
export const tableGraces = { graceMs: minuteMs, trashRetentionMs: 2 * minuteMs } as const;

/** Defects that can be planted into a table server. */
export interface TableSabotage {
  readonly stream?: (stream: MessageStream) => MessageStream;
  readonly engineOptions?: (options: EmbeddedTableEngineOptions) => EmbeddedTableEngineOptions;
  readonly jobStore?: (store: ObjectStore) => ObjectStore;
}

/** Opens the table server and the restream jobs of a controller, on its disk. */
export async function openTables(options: {
  readonly process: SimulatedProcess;
  readonly mount: Mount;
  readonly random: SeededRandom;
  readonly conditions: StreamConditions;
  readonly topics: ReadonlyMap<string, Topic>;
  readonly sabotage: TableSabotage;
}): Promise<ControllerTables> {
  const { process, mount, random, conditions, topics, sabotage } = options;
  const { clock } = process;
  const openStream = (config: Readonly<Record<string, string>>): MessageStream => {
    const topic = topics.get(config['stream.file.topic.name'] ?? '');
    if (topic === undefined) throw new Error('A table names a topic that is not simulated.');
    const stream = new SimulatedStream({ topic, process, random, conditions });
    return sabotage.stream?.(stream) ?? stream;
  };
  const engineOptions: EmbeddedTableEngineOptions = {
    dataDirectory: `${pathOfMount(mount)}/tables`,
    clock,
    random,
    tenants: ['DefaultTenant'],
    host: process.name,
    finder: undefined,
    rowBytesMax: 100_000,
    openStream,
    ...tableGraces,
  };
  const engine = await EmbeddedTableEngine.open(
    sabotage.engineOptions?.(engineOptions) ?? engineOptions,
  );
  const fileSystem = fileSystemOf(mount);
  const store = await FileObjectStore.open({
    root: '/tables/restreams',
    clock,
    random,
    fileSystem,
  });
  const restreams = new Restreams({
    engine,
    store: sabotage.jobStore?.(store) ?? store,
    clock,
    random,
    leaseMs: 10_000,
    settings: () => {
      return {
        pollMs: 2000,
        // Faults end sooner.
        noProgressMaxMs: 30 * minuteMs,
        commitMaxMs: 30 * minuteMs,
        commitRetryMs: 30_000,
      };
    },
  });
  restreams.run();
  return { engine, restreams };
}
