import { cp, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@quire/core';
import { ManualClock } from '@quire/core/testing';
import type { TableConfigDocument, TableProblem } from '@quire/core/table-engine';
import type { DuckDbEngine } from '@quire/engine-duckdb';
import { FileProducer } from '@quire/streams';
import type {
  EmbeddedTableEngine,
  EmbeddedTableEngineOptions,
  GarbageEvent,
} from '@quire/table-server';
import { createFileFinder } from '@quire/tables';
import { openEmbeddedTables, openTableQueries } from '../testkit/embedded-tables.ts';
import { until } from '../testkit/until.ts';

const startMs = Date.UTC(2026, 0, 1);
const generation = 'SegmentGenerationAndPushTask';

const schemaOf = (schemaName: string) => ({
  schemaName,
  metricFieldSpecs: [{ name: 'n', dataType: 'LONG' }],
  dateTimeFieldSpecs: [
    { name: 'ts', dataType: 'LONG', format: 'EPOCH|MILLISECONDS|1', granularity: 'MILLISECONDS|1' },
  ],
});

const rowOf = (n: number): string => `{"n":${n},"ts":${startMs + n}}\n`;

/** The content of each table of the scene; the others are named by the same prefix. */
export const expectedRows: Readonly<Record<string, { readonly c: number; readonly s: number }>> = {
  trips_OFFLINE: { c: 4, s: 10 },
  walks_OFFLINE: { c: 4, s: 10 },
  orders_REALTIME: { c: 16, s: 72 },
};

/**
 * A directory of a table server with every kind of record, each of which was changed at least once,
 * and a copy of it from before those changes. Each trial begins with all files in their original
 * state, at the same paths.
 */
export class DamagedScene implements AsyncDisposable {
  readonly directory: string;
  /** The directory before the last change of every record. */
  readonly older: string;
  readonly #whole: string;
  readonly #home: string;
  /**
   * The consuming segments were built at that time: a clock that is far from it would make the
   * engine commit them.
   */
  #builtMs = 0;
  readonly queries: DuckDbEngine;

  private constructor(home: string, queries: DuckDbEngine) {
    this.#home = home;
    this.directory = join(home, 'tables');
    this.older = join(home, 'older');
    this.#whole = join(home, 'whole');
    this.queries = queries;
  }

  static async create(): Promise<DamagedScene> {
    const home = await mkdtemp(join(tmpdir(), 'quire-damaged-'));
    await mkdir(join(home, 'tables'));
    const scene = new DamagedScene(
      home,
      await openTableQueries(join(home, 'tables'), join(home, 'spill')),
    );
    await scene.#build();
    return scene;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.queries[Symbol.asyncDispose]();
    await rm(this.#home, { recursive: true });
  }

  /** Puts every file back as it was. */
  async restore(): Promise<void> {
    await rm(this.directory, { recursive: true, force: true });
    await cp(this.#whole, this.directory, { recursive: true, preserveTimestamps: true });
  }

  /** Returns the paths of all files below the root with this ending. */
  async list(ending: string, root = this.directory): Promise<readonly string[]> {
    const entries = await readdir(root, { recursive: true });
    return entries
      .filter((path) => path.endsWith(ending) && !path.startsWith('streams'))
      .toSorted();
  }

  /** The text of a file as it was before the damage. */
  wholePath(path: string): string {
    return join(this.#whole, path);
  }

  async #build(): Promise<void> {
    const inputs = join(this.#home, 'inputs');
    await mkdir(inputs);
    await using producer = await FileProducer.open({
      directory: join(this.#home, 'streams'),
      topic: 'orders',
      partitionCount: 2,
    });
    let sent = 0;
    const append = async (): Promise<void> => {
      for (const partition of [0, 1]) {
        const values = Array.from({ length: 4 }, (_, index) => ({
          key: null,
          partition,
          value: Buffer.from(rowOf(sent + index + 1).trimEnd()),
        }));
        await producer.append(values);
      }
      sent += 4;
    };
    await using engine = await this.#openEngine({ clock: systemClock });
    const ingest = async (table: string, from: number): Promise<void> => {
      const body = (async function* () {
        yield Buffer.from(rowOf(from) + rowOf(from + 1));
      })();
      await engine.ingest({
        tableNameWithType: table,
        source: { kind: 'bytes', name: 'rows.jsonl', body },
        batchConfig: {},
      });
    };
    const untilCount = (table: string, count: number): Promise<void> =>
      until(async () => (await engine.countRows(table)) === count, `${table} has ${count} rows`);
    const offline = (name: string, extra: object = {}): TableConfigDocument => ({
      tableName: `${name}_OFFLINE`,
      tableType: 'OFFLINE',
      segmentsConfig: { timeColumnName: 'ts' },
      ...extra,
    });
    const orders = (extra: object = {}): TableConfigDocument => ({
      tableName: 'orders_REALTIME',
      tableType: 'REALTIME',
      segmentsConfig: { timeColumnName: 'ts' },
      ingestionConfig: {
        streamIngestionConfig: {
          streamConfigMaps: [
            {
              streamType: 'file',
              'stream.file.topic.name': 'orders',
              'stream.file.consumer.prop.auto.offset.reset': 'smallest',
            },
          ],
        },
      },
      ...extra,
    });
    // Its rows come from tasks; they are in the table `loads`, which no query of a trial reads.
    const loads = offline('loads', {
      task: { taskTypeConfigsMap: { [generation]: {} } },
      ingestionConfig: {
        batchIngestionConfig: {
          segmentIngestionType: 'APPEND',
          segmentIngestionFrequency: 'DAILY',
          batchConfigMaps: [
            {
              inputDirURI: `file://${inputs}/`,
              includeFileNamePattern: 'glob:**/*.jsonl',
              inputFormat: 'json',
            },
          ],
        },
      },
    });
    const load = async (name: string): Promise<void> => {
      await writeFile(join(inputs, name), rowOf(1));
      const { scheduled } = await engine.scheduleTasks({
        taskType: generation,
        tableNameWithType: 'loads_OFFLINE',
      });
      const [task] = scheduled;
      await until(
        async () => (await engine.readTask(task?.taskName ?? '')).state === 'COMPLETED',
        `${name} is loaded`,
      );
    };
    const commit = async (): Promise<void> => {
      const { jobId } = await engine.forceCommit('orders_REALTIME');
      await until(
        async () => (await engine.readForceCommit(jobId)).pendingSegmentNames.length === 0,
        'the segments are committed',
      );
    };
    for (const name of ['trips', 'walks', 'orders', 'loads']) {
      await engine.createSchema(schemaOf(name));
    }
    for (const config of [offline('trips'), offline('walks'), orders(), loads]) {
      await engine.createTable(config);
    }
    for (const table of ['trips_OFFLINE', 'walks_OFFLINE']) await ingest(table, 1);
    await append();
    await untilCount('orders_REALTIME', 8);
    await commit();
    await load('one.jsonl');
    await engine.stopTaskQueue(generation);
    await writeFile(join(inputs, 'two.jsonl'), rowOf(2));
    const { scheduled } = await engine.scheduleTasks({
      taskType: generation,
      tableNameWithType: 'loads_OFFLINE',
    });
    await cp(this.directory, this.older, { recursive: true });

    await engine.resumeTaskQueue(generation);
    await until(
      async () => (await engine.readTask(scheduled[0]?.taskName ?? '')).state === 'COMPLETED',
      'the second file is loaded',
    );
    for (const table of ['trips_OFFLINE', 'walks_OFFLINE']) await ingest(table, 3);
    for (const name of ['trips', 'walks', 'orders', 'loads']) {
      await engine.updateSchema(schemaOf(name));
    }
    for (const config of [offline('trips'), offline('walks'), orders(), loads]) {
      await engine.updateTable({ ...config, metadata: { customConfigs: { change: '1' } } });
    }
    await engine.pauseConsumption('orders_REALTIME');
    await engine.resumeConsumption('orders_REALTIME');
    await append();
    await untilCount('orders_REALTIME', 16);
    await engine[Symbol.asyncDispose]();
    await cp(this.directory, this.#whole, { recursive: true });
    this.#builtMs = systemClock.nowMs();
    // A request to commit, so that the last record has changed as well.
    await this.#addForceCommit();
  }

  async #addForceCommit(): Promise<void> {
    await this.restore();
    const engine = await this.#openEngine({ clock: systemClock });
    await until(
      async () => (await engine.readConsumption('orders_REALTIME')).partitions.length === 2,
      'both partitions are known',
    );
    await engine.forceCommit('orders_REALTIME', { segmentNames: [] });
    await engine[Symbol.asyncDispose]();
    await rm(this.#whole, { recursive: true });
    await cp(this.directory, this.#whole, { recursive: true });
  }

  #openEngine(options: Partial<EmbeddedTableEngineOptions>): Promise<EmbeddedTableEngine> {
    const finder = createFileFinder({ paths: [join(this.#home, 'inputs')], buckets: [] });
    return openEmbeddedTables({
      dataDirectory: this.directory,
      streamDirectory: join(this.#home, 'streams'),
      finder,
      ...options,
    });
  }

  /** Opens the table server on the files as they are. */
  async open(): Promise<OpenScene> {
    const clock = new ManualClock({ nowMs: this.#builtMs });
    let rounds = 0;
    const events: GarbageEvent[] = [];
    const problems: string[] = [];
    const engine = await this.#openEngine({
      clock,
      graceMs: 0,
      trashRetentionMs: 0,
      onUpkeepRound: () => (rounds += 1),
      onGarbage: (event) => events.push(event),
      onSetAside: (subject, { message }) => problems.push(`${subject}: ${message}`),
      onUpkeepFailed: (error) => problems.push(String(error)),
    });
    return new OpenScene(engine, this.queries, { clock, events, problems, rounds: () => rounds });
  }
}

/** The scene while its table server runs, in virtual time. */
export class OpenScene implements AsyncDisposable {
  readonly engine: EmbeddedTableEngine;
  readonly events: readonly GarbageEvent[];
  /** The logged problems. */
  readonly problems: readonly string[];
  readonly #queries: DuckDbEngine;
  readonly #clock: ManualClock;
  /** Returns the number of completed maintenance rounds. */
  readonly #rounds: () => number;

  constructor(
    engine: EmbeddedTableEngine,
    queries: DuckDbEngine,
    parts: {
      readonly clock: ManualClock;
      readonly events: readonly GarbageEvent[];
      readonly problems: readonly string[];
      readonly rounds: () => number;
    },
  ) {
    this.engine = engine;
    this.#queries = queries;
    this.#clock = parts.clock;
    this.events = parts.events;
    this.problems = parts.problems;
    this.#rounds = parts.rounds;
  }

  /** Lets whole rounds of upkeep pass: the current one has ended when the next one starts. */
  async pass(rounds: number): Promise<void> {
    const end = this.#rounds() + rounds + 1;
    const isOver = async (): Promise<boolean> => {
      await this.#clock.advance(10_000);
      return this.#rounds() >= end;
    };
    await until(isOver, `${rounds} rounds of upkeep have passed`);
  }

  /** The rows of a table, or the reason why there are none. */
  async rows(table: string): Promise<unknown> {
    try {
      const sql = `SELECT CAST(count(*) AS INTEGER) c, CAST(sum(n) AS DOUBLE) s FROM ${table}`;
      await using execution = await this.#queries.execute(
        { sql },
        { limits: { timeoutMs: 60_000 } },
      );
      const [batch] = await Array.fromAsync(execution.batches);
      const row = batch?.get(0)?.toJSON();
      return { c: row?.['c'], s: row?.['s'] };
    } catch (error) {
      return error instanceof Error && 'code' in error ? error.code : String(error);
    }
  }

  listProblems(): Promise<readonly TableProblem[]> {
    return this.engine.listProblems();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.engine[Symbol.asyncDispose]();
  }
}
