import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { QuireError } from '@quire/core';
import { ManualClock, SeededRandom } from '@quire/core/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ForceCommits } from '../src/consumption/force-commits.ts';
import { type RecordFile, Records } from '../src/directory/records.ts';
import { TableDirectory } from '../src/directory/table-directory.ts';
import { ServedTable } from '../src/served-table.ts';

/** Records on a disk that finishes the writes of force commits that it has at a time in reverse. */
class ReversingRecords extends Records {
  readonly #writes: Promise<void>[] = [];
  isFull = false;

  override async replace(record: RecordFile, content: object): Promise<void> {
    const index = this.#writes.length;
    const write = this.#replaceAfterLater(index, record, content);
    this.#writes.push(write);
    await write;
  }

  async #replaceAfterLater(index: number, record: RecordFile, content: object): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    await Promise.allSettled(this.#writes.slice(index + 1));
    if (this.isFull) throw new QuireError('STORE_FULL', 'The disk is full.');
    await super.replace(record, content);
  }
}

describe('force commits', () => {
  let directory: TableDirectory;
  let table: ServedTable;
  const [clock, random] = [new ManualClock(), new SeededRandom(1)];
  const open = (records: Records) =>
    ForceCommits.open({ directory, records, clock, random, tables: () => [table] });

  beforeEach(async () => {
    directory = new TableDirectory(await mkdtemp(join(tmpdir(), 'quire-force-commits-')));
    await directory.make();
    const config = { tableName: 'ticks_REALTIME', tableType: 'REALTIME' };
    table = await ServedTable.create(
      { tableId: 'id', createdMs: 0, config, findings: [] },
      { directory, records: new Records({ random }), clock, random, instanceName: 'server' },
    );
  });
  afterEach(() => rm(directory.root, { recursive: true }));

  test('force commits that are requested concurrently are all known after a restart', async () => {
    const commits = await open(new ReversingRecords({ random }));
    const jobs = await Promise.all(Array.from({ length: 5 }, () => commits.submit(table)));
    const reopened = await open(new Records({ random }));
    const known = await Promise.all(jobs.map(({ jobId }) => reopened.read(jobId)));
    expect(known).toEqual(jobs);
  });

  test('force commits continue after one that could not be written', async () => {
    const records = new ReversingRecords({ random });
    const commits = await open(records);
    const first = await commits.submit(table);
    records.isFull = true;
    const refused = await Promise.allSettled([commits.submit(table), commits.submit(table)]);
    expect(refused).toEqual([
      { status: 'rejected', reason: expect.objectContaining({ code: 'STORE_FULL' }) as unknown },
      { status: 'rejected', reason: expect.objectContaining({ code: 'STORE_FULL' }) as unknown },
    ]);
    records.isFull = false;
    const last = await commits.submit(table);
    const reopened = await open(new Records({ random }));
    expect([await reopened.read(first.jobId), await reopened.read(last.jobId)]).toEqual([
      first,
      last,
    ]);
  });
});
