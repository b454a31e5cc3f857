import type { SeededRandom } from '@quire/core/testing';
import type { CallOutcome, SimulatedClient } from './client.ts';
import { retentionMs, type Topic } from './stream.ts';
import type { TableLaws } from './table-laws.ts';

const host = 'controller';
const rawName = 'events';
const uploadTable = 'files_OFFLINE';

const schemaOf = (schemaName: string): object => ({
  schemaName,
  dimensionFieldSpecs: [{ name: 'p', dataType: 'INT' }],
  metricFieldSpecs: [{ name: 'n', dataType: 'LONG' }],
  dateTimeFieldSpecs: [
    { name: 'ts', dataType: 'LONG', format: 'EPOCH|MILLISECONDS|1', granularity: 'MILLISECONDS|1' },
  ],
});

const segmentsConfig = {
  timeColumnName: 'ts',
  retentionTimeUnit: 'MINUTES',
  retentionTimeValue: String(retentionMs / 60_000),
};

/** Few rows a segment: faults hit commits as well. */
const streamTable = {
  tableName: rawName,
  tableType: 'REALTIME',
  segmentsConfig,
  ingestionConfig: {
    streamIngestionConfig: {
      streamConfigMaps: [
        {
          streamType: 'file',
          'stream.file.topic.name': rawName,
          'stream.file.consumer.prop.auto.offset.reset': 'smallest',
          'realtime.segment.flush.threshold.rows': '60',
          'realtime.segment.flush.threshold.time': '5m',
        },
      ],
    },
  },
};

const fileTable = {
  tableName: 'files',
  tableType: 'OFFLINE',
  segmentsConfig,
  task: {
    taskTypeConfigsMap: {
      MergeRollupTask: { '1minute.bucketTimePeriod': '1m', '1minute.bufferTimePeriod': '1m' },
    },
  },
};

/**
 * The maximum number of copies whose deletion was not confirmed. A call that cancels a job marks
 * all copies, since it may have deleted any, and most of them stay.
 */
const copiesMax = 6;

/**
 * The number of restream jobs beyond which fewer are started: a controller keeps their records
 * forever, and reads all of them every ten seconds.
 */
const jobsMax = 50;

/** A restream job that was confirmed to a client. */
interface KnownJob {
  readonly jobId: string;
  readonly destination: string;
  /** A client has requested its end, or that of its destination. */
  isDisturbed: boolean;
}

interface RestreamAnswer {
  readonly jobId?: string;
  readonly status?: string;
}

/** An admin who creates tables, loads files, restreams and drops copies, through the controller. */
export class TableUser {
  readonly #client: SimulatedClient;
  readonly #random: SeededRandom;
  readonly #laws: TableLaws;
  readonly #topic: Topic;
  readonly #nowMs: () => number;
  readonly #note: (kind: string, outcome: CallOutcome) => void;
  readonly #violate: (what: string) => void;
  readonly #jobs: KnownJob[] = [];
  /** Copies that may exist, the oldest first. */
  readonly #copies = new Set<string>();
  #copyCount = 0;

  constructor(options: {
    readonly client: SimulatedClient;
    readonly random: SeededRandom;
    readonly laws: TableLaws;
    readonly topic: Topic;
    readonly nowMs: () => number;
    readonly note: (kind: string, outcome: CallOutcome) => void;
    readonly violate: (what: string) => void;
  }) {
    this.#client = options.client;
    this.#random = options.random;
    this.#laws = options.laws;
    this.#topic = options.topic;
    this.#nowMs = options.nowMs;
    this.#note = options.note;
    this.#violate = options.violate;
  }

  /** Performs one action. */
  async act(): Promise<void> {
    const source = this.#laws.tables.get(`${rawName}_REALTIME`);
    if (source?.isCreated !== true) return this.#create(streamTable, this.#topic);
    const [oldestCopy] = this.#copies;
    if (oldestCopy !== undefined && this.#copies.size > copiesMax) {
      return this.#dropCopy(oldestCopy);
    }
    const files = this.#laws.tables.get(uploadTable);
    const kind = this.#random.fraction();
    if (kind < 0.35) {
      this.#produce();
      return;
    }
    if (kind < 0.5) return this.#command('POST', 'forceCommit');
    if (kind < 0.58) return this.#command('POST', 'pauseConsumption');
    if (kind < 0.68) return this.#command('POST', 'resumeConsumption');
    if (kind < 0.76) return this.#restream();
    if (kind < 0.82) return this.#drop();
    if (files?.isCreated !== true) return this.#create(fileTable, undefined);
    if (kind < 0.94) return this.#upload();
    await this.#call('merge', 'POST', '/tasks/schedule?taskType=MergeRollupTask');
  }

  /** Makes all tables consume until nothing is left to do, and reads the outcomes of jobs. */
  async settle(pass: (ms: number) => Promise<void>): Promise<void> {
    for (const { name, topic, isDeletionTried } of this.#laws.tables.values()) {
      // The deletion of a destination is refused while its job runs, and the job needs its rows.
      const isOfJob = this.#jobs.some(({ destination }) => destination === name);
      if (topic === undefined || (isDeletionTried && !isOfJob)) continue;
      await this.#call('resume', 'POST', `/tables/${name}/resumeConsumption`);
    }
    await pass(5 * 60_000);
    for (const { jobId, destination, isDisturbed } of this.#jobs) {
      const outcome = await this.#call('job', 'GET', `/restreams/${jobId}`);
      const status = outcome?.status === 200 && outcome.json<RestreamAnswer>().status;
      if (status === 'DONE' || (isDisturbed && ['CANCELLED', 'FAILED'].includes(`${status}`))) {
        continue;
      }
      this.#violate(`restream ${jobId} to ${destination} came to ${outcome?.text}`);
    }
  }

  /** Deletes everything. */
  async clear(): Promise<void> {
    for (const table of this.#laws.tables.values()) {
      table.isDeletionTried = true;
      const [, raw = '', type = ''] = /^(.+)_([A-Z]+)$/.exec(table.name) ?? [];
      await this.#call('drop', 'DELETE', `/tables/${raw}?type=${type.toLowerCase()}`);
      await this.#call('drop', 'DELETE', `/schemas/${raw}`);
    }
  }

  #produce(): void {
    const { partitions } = this.#topic;
    const partition = this.#random.integer(partitions.length);
    this.#topic.append(partition, 1 + this.#random.integer(60), this.#nowMs());
  }

  async #create(
    config: { readonly tableName: string; readonly tableType: string },
    topic: Topic | undefined,
  ): Promise<void> {
    const name = `${config.tableName}_${config.tableType}`;
    const known = this.#laws.tables.get(name);
    const table = known ?? { name, topic, isCreated: false, isDeletionTried: false };
    this.#laws.tables.set(name, table);
    await this.#call('schema', 'POST', '/schemas', schemaOf(config.tableName));
    const outcome = await this.#call('table', 'POST', '/tables', config);
    // 409: an earlier call, whose answer was lost, has created it.
    if (outcome?.status === 200 || outcome?.status === 409) table.isCreated = true;
  }

  async #command(method: string, command: string): Promise<void> {
    const name = this.#anyTable();
    // A job whose destination is paused fails and reports it.
    const job = this.#jobs.find(({ destination }) => destination === name);
    if (job !== undefined && command === 'pauseConsumption') job.isDisturbed = true;
    await this.#call(command, method, `/tables/${name}/${command}`);
  }

  #anyTable(): string {
    const names = [...this.#laws.tables.values()]
      .filter(({ topic, isDeletionTried }) => topic !== undefined && !isDeletionTried)
      .map(({ name }) => name);
    return names[this.#random.integer(names.length)] ?? '';
  }

  async #restream(): Promise<void> {
    if (this.#jobs.length >= jobsMax && this.#random.fraction() < 0.8) return;
    this.#copyCount += 1;
    const destination = `copy${this.#copyCount}_REALTIME`;
    const path = `/tables/${rawName}_REALTIME/restream?destTableNameWithType=${destination}`;
    const outcome = await this.#call('restream', 'POST', path);
    const isStarted = outcome?.status === 200;
    // Without an answer it may have been created, and may be deleted again.
    if (!isStarted && outcome !== undefined && outcome.status < 500) return;
    this.#copies.add(destination);
    this.#laws.tables.set(destination, {
      name: destination,
      topic: this.#topic,
      isCreated: isStarted,
      isDeletionTried: false,
    });
    const jobId = isStarted ? outcome.json<RestreamAnswer>().jobId : undefined;
    if (jobId !== undefined) this.#jobs.push({ jobId, destination, isDisturbed: false });
  }

  /** Deletes a copy, or cancels the job that creates it. */
  async #drop(): Promise<void> {
    const copies = [...this.#laws.tables.values()].filter(
      ({ name, isDeletionTried }) => name.startsWith('copy') && !isDeletionTried,
    );
    const table = copies[this.#random.integer(Math.max(1, copies.length))];
    if (table === undefined) return;
    if (this.#random.fraction() < 0.4) {
      const path = `/tables/${rawName}_REALTIME/restream?dropDestination=true`;
      // The call cancels the running job, whichever that is.
      for (const each of this.#jobs) each.isDisturbed = true;
      for (const each of copies) each.isDeletionTried = true;
      await this.#call('cancel', 'DELETE', path);
    }
    await this.#dropCopy(table.name);
  }

  async #dropCopy(name: string): Promise<void> {
    const table = this.#laws.tables.get(name);
    if (table !== undefined) table.isDeletionTried = true;
    const job = this.#jobs.find(({ destination }) => destination === name);
    if (job !== undefined) job.isDisturbed = true;
    const raw = name.replace('_REALTIME', '');
    const outcome = await this.#call('drop', 'DELETE', `/tables/${raw}?type=realtime`);
    if (outcome?.status === 200 || outcome?.status === 404) this.#copies.delete(name);
    await this.#call('drop', 'DELETE', `/schemas/${raw}`);
  }

  async #upload(): Promise<void> {
    const atMs = this.#nowMs();
    const upload = {
      id: this.#laws.uploads.length,
      rowCount: 1 + this.#random.integer(40),
      atMs,
      isAcknowledged: false,
    };
    this.#laws.uploads.push(upload);
    const lines = Array.from({ length: upload.rowCount }, (_, n) =>
      JSON.stringify({ p: upload.id, n, ts: atMs }),
    );
    const format = encodeURIComponent('{"inputFormat":"json"}');
    const outcome = await this.#client.call(
      host,
      `/ingestFromFile?tableNameWithType=${uploadTable}&batchConfigMapStr=${format}`,
      { method: 'POST', as: 'root', bytes: Buffer.from(lines.join('\n')) },
    );
    this.#note('upload', outcome);
    upload.isAcknowledged = outcome?.status === 200;
  }

  async #call(kind: string, method: string, path: string, body?: object): Promise<CallOutcome> {
    const outcome = await this.#client.call(host, path, {
      method,
      as: 'root',
      ...(body !== undefined && { body }),
    });
    this.#note(kind, outcome);
    if (outcome?.status === 500) this.#violate(`${kind} is 500: ${outcome.text}`);
    return outcome;
  }
}
