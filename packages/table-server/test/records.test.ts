import { cpSync } from 'node:fs';
import {
  appendFile,
  copyFile,
  mkdir,
  mkdtemp,
  open as openFile,
  readFile,
  rename,
  rm,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SeededRandom } from '@quire/core/testing';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type RecordFile, Records } from '../src/directory/records.ts';
import { readRevisions, Revisions, revisionsPath } from '../src/directory/revisions.ts';
import { TableDirectory } from '../src/directory/table-directory.ts';
import { RecordCache } from '../src/queries/record-cache.ts';
import { RecordCheck } from '../src/upkeep/record-check.ts';

describe('records', () => {
  let directory: TableDirectory;
  const open = () => new Records({ random: new SeededRandom(1) });

  beforeEach(async () => {
    directory = new TableDirectory(await mkdtemp(join(tmpdir(), 'quire-records-')));
    await directory.make();
  });
  afterEach(() => rm(directory.root, { recursive: true }));

  const one = () => directory.task('one');
  const two = () => directory.task('two');

  /**
   * Returns the results of both readers: the server after a restart, and a process that shares the
   * directory.
   */
  async function readByBoth(): Promise<unknown> {
    const outcomes = await Promise.all(
      [open(), new RecordCache()].map((reader) =>
        reader.read(one()).catch((error: unknown) => String(error)),
      ),
    );
    expect(outcomes[1]).toEqual(outcomes[0]);
    return outcomes[0];
  }

  test('records are what was written last, also after a restart; one that was removed never existed', async () => {
    const records = open();
    await records.replace(one(), { rows: 1n << 60n });
    await records.replace(one(), { rows: (1n << 60n) + 1n });
    expect(await readByBoth()).toEqual({ rows: (1n << 60n) + 1n });
    expect(await open().create(one(), {})).toBe(false);
    await records.remove(one());
    expect(await readByBoth()).toBeUndefined();
    expect(await open().create(one(), { again: true })).toBe(true);
    expect(await readByBoth()).toEqual({ again: true });
  });

  test('records that are removed while they are read have never existed afterwards', async () => {
    const records = open();
    for (const end of [
      () => records.remove(one()),
      () => records.move(one(), `${one().path}.moved`),
    ]) {
      await records.create(one(), { rows: 1 });
      const before = records.read(one());
      const ending = end();
      const beside = records.read(one());
      expect([await before, await ending]).toEqual([{ rows: 1 }, true]);
      expect([{ rows: 1 }, undefined]).toContainEqual(await beside);
      expect([await records.read(one()), await readByBoth()]).toEqual([undefined, undefined]);
    }
  });

  test('records that are removed and created again while another process reads them are the new ones', async () => {
    const [folder, before, after] = ['tasks', 'before', 'after'].map((name) =>
      join(directory.root, name),
    ) as [string, string, string];
    const records = open();
    await records.create(one(), { rows: 1 });
    await records.replace(one(), { rows: 2 });
    cpSync(folder, before, { recursive: true });
    await records.remove(one());
    await records.create(one(), { rows: 3 });
    cpSync(folder, after, { recursive: true });
    /** The record, which is another one once a reader of the revisions reads its path. */
    const replaced = (readsBefore: number): RecordFile => {
      cpSync(before, folder, { recursive: true });
      let reads = 0;
      return {
        ...one(),
        get path() {
          if (reads === readsBefore) cpSync(after, folder, { recursive: true });
          reads += 1;
          return one().path;
        },
      };
    };
    expect(await new RecordCache().read(replaced(2))).toEqual({ rows: 3 });
    const check = new RecordCheck(directory);
    await check.run([], [replaced(1)]);
    expect(check.damaged).toEqual(new Map());
  });

  test('records have their revisions on disk, also those that are written while others are removed', async () => {
    const folder = directory.folder('tasks');
    const revisions = await Revisions.open(folder);
    await revisions.note('one.json', 1);
    await using file = await openFile(revisionsPath(folder));
    const prototype = Object.getPrototypeOf(file) as typeof file;
    let noting: Promise<void> | undefined;
    const slow = vi.spyOn(prototype, 'write').mockImplementationOnce(async function (
      this: typeof file,
      ...given
    ) {
      noting = revisions.note('two.json', 2);
      await noting;
      return await this.write(...given);
    });
    await revisions.forget('one.json');
    slow.mockRestore();
    expect([...(await readRevisions(folder))]).toEqual([['two.json', 2]]);
  });

  test.each<[string, string, () => Promise<unknown>]>([
    ['is empty', 'is empty', () => writeFile(one().path, '')],
    [
      'ends too soon',
      'is torn or overwritten',
      async () => writeFile(one().path, (await readFile(one().path)).subarray(0, -30)),
    ],
    [
      'lacks its last byte',
      'has no checksum',
      async () => writeFile(one().path, (await readFile(one().path)).subarray(0, -1)),
    ],
    [
      'is doubled',
      'does not match its checksum',
      async () => appendFile(one().path, await readFile(one().path)),
    ],
    ['is missing', 'is missing', () => rm(one().path)],
    ['is a directory', 'is a directory', async () => (await rm(one().path), mkdir(one().path))],
    [
      'is that of another',
      'is the task record of two, not the task record of one',
      () => copyFile(two().path, one().path),
    ],
  ])('records are refused, by name and reason, where one %s', async (_what, reason, damage) => {
    const records = open();
    await records.replace(one(), { rows: 1 });
    await records.replace(two(), { rows: 2 });
    await damage();
    const outcome = await readByBoth();
    expect(outcome).toContain('tasks/one.json');
    expect(outcome).toContain(reason);
    expect(await open().read(two())).toEqual({ rows: 2 });
  });

  test('records are refused whichever bit of one is flipped', async () => {
    await open().replace(one(), { rows: 1 });
    const whole = await readFile(one().path);
    for (let bit = 0; bit < whole.byteLength * 8; bit += 1) {
      const flipped = Buffer.from(whole);
      flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      await writeFile(one().path, flipped);
      await expect(open().read(one()), `bit ${bit}`).rejects.toMatchObject({
        code: 'RECORD_DAMAGED',
      });
    }
  });

  test('records are refused where one is an older copy, of this release or of an earlier one', async () => {
    const records = open();
    await writeFile(one().path, '{"formatVersion":1,"rows":1}');
    // A record without a checksum is read, and sealed.
    expect(await readByBoth()).toEqual({ formatVersion: 1, rows: 1 });
    const older = join(directory.root, 'older');
    await copyFile(one().path, older);
    await records.replace(one(), { rows: 2 });
    expect(await readByBoth()).toEqual({ rows: 2 });
    await rename(older, one().path);
    expect(await readByBoth()).toContain(
      'is an older copy: it has revision 1, and revision 2 was written',
    );
    await writeFile(one().path, '{"formatVersion":1,"rows":1}');
    expect(await readByBoth()).toContain('has no checksum');
  });

  test('records are believed without their witness: it is a second one', async () => {
    await open().replace(one(), { rows: 1 });
    const witness = revisionsPath(directory.folder('tasks'));
    for (const damage of [
      () => writeFile(witness, 'x'.repeat(256)),
      () => rm(witness),
      async () => (await rm(witness), mkdir(witness)),
    ]) {
      await damage();
      expect(await readByBoth()).toEqual({ rows: 1 });
    }
    const problems: string[] = [];
    const records = new Records({
      random: new SeededRandom(1),
      onRevisionUnwritten: (path) => problems.push(path),
    });
    await records.replace(one(), { rows: 2 });
    expect(await readByBoth()).toEqual({ rows: 2 });
    expect(problems).toEqual(['tasks/one.json']);
  });

  test('records are not judged by the witness of another directory', async () => {
    const records = open();
    for (const tableId of ['a_OFFLINE.1', 'b_OFFLINE.2']) await mkdir(directory.data(tableId));
    for (let change = 0; change < 3; change += 1) {
      await records.replace(directory.manifest('a_OFFLINE.1'), {});
    }
    await records.replace(directory.manifest('b_OFFLINE.2'), { rows: 2 });
    await copyFile(
      revisionsPath(directory.data('a_OFFLINE.1')),
      revisionsPath(directory.data('b_OFFLINE.2')),
    );
    expect(await open().read(directory.manifest('b_OFFLINE.2'))).toEqual({ rows: 2 });
  });
});
