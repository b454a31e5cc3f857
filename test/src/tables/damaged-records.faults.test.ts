import {
  chmod,
  copyFile,
  mkdir,
  readFile,
  rm,
  truncate,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import type { Random } from '@quire/core';
import { SeededRandom } from '@quire/core/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DamagedScene, expectedRows, type OpenScene } from './damaged-scene.ts';

/**
 * The number of times that every kind of damage is applied to every kind of record; without the
 * variable, a third of the pairs are tried once.
 */
const seeds = Number(process.env['QUIRE_DAMAGED_RECORDS'] ?? 0);

let scene: DamagedScene;
beforeAll(async () => {
  scene = await DamagedScene.create();
});
afterAll(() => scene[Symbol.asyncDispose]());

interface RecordKind {
  /** Matches the path of the one that is damaged, and of another of its kind. */
  readonly damaged: RegExp;
  readonly other: RegExp;
  /** Tables whose rows need the record. */
  readonly tables: readonly string[];
}

const records: Readonly<Record<string, RecordKind>> = {
  'the manifest of an offline table': {
    damaged: /^data\/trips.*\/manifest\.json$/,
    other: /^data\/walks.*\/manifest\.json$/,
    tables: ['trips_OFFLINE'],
  },
  'the manifest of a real-time table': {
    damaged: /^data\/orders.*\/manifest\.json$/,
    other: /^data\/walks.*\/manifest\.json$/,
    tables: ['orders_REALTIME'],
  },
  'the config of an offline table': {
    damaged: /^tables\/trips_/,
    other: /^tables\/walks_/,
    tables: ['trips_OFFLINE'],
  },
  'the config of a real-time table': {
    damaged: /^tables\/orders_/,
    other: /^tables\/walks_/,
    tables: ['orders_REALTIME'],
  },
  'a schema': { damaged: /^schemas\/trips/, other: /^schemas\/walks/, tables: ['trips_OFFLINE'] },
  'a consuming segment': {
    damaged: /consuming-0\.json$/,
    other: /consuming-1\.json$/,
    tables: ['orders_REALTIME'],
  },
  'the state of consumption': {
    damaged: /\/consumption\.json$/,
    other: /^data\/orders.*\/manifest\.json$/,
    tables: [],
  },
  'the progress of tasks': {
    damaged: /\/task-progress\.json$/,
    other: /^task-queues\.json$/,
    tables: [],
  },
  'a task': { damaged: /^tasks\/.*\.json$/, other: /^tasks\/.*\.json$/, tables: [] },
  'the queues of tasks': {
    damaged: /^task-queues\.json$/,
    other: /^force-commits\.json$/,
    tables: [],
  },
  'the requests to commit': {
    damaged: /^force-commits\.json$/,
    other: /^task-queues\.json$/,
    tables: [],
  },
  'a witness of records': {
    damaged: /^data\/trips.*\/\.revisions$/,
    other: /^data\/walks.*\/\.revisions$/,
    tables: [],
  },
};

type Damage = (
  paths: { readonly path: string; readonly other: string; readonly older: string },
  random: Random,
) => Promise<unknown>;

const damages: Readonly<Record<string, Damage>> = {
  'a bit is flipped': async ({ path }, random) => {
    const bytes = await readFile(path);
    const bit = Math.floor(random.fraction() * bytes.byteLength * 8);
    bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    await writeFile(path, bytes);
  },
  'it is cut': async ({ path }, random) =>
    truncate(path, Math.floor(random.fraction() * (await readFile(path)).byteLength)),
  'it is empty': ({ path }) => truncate(path),
  'it is missing': ({ path }) => rm(path),
  'it is that of another': ({ path, other }) => copyFile(other, path),
  'it is an older copy': ({ path, older }) => copyFile(older, path),
  'it is doubled': async ({ path }) =>
    writeFile(path, Buffer.concat([await readFile(path), await readFile(path)])),
  'it cannot be read': ({ path }) => chmod(path, 0),
  'a directory has its name': async ({ path }) => (await rm(path), mkdir(path)),
  'all of it is zeroes': async ({ path }) =>
    writeFile(path, Buffer.alloc((await readFile(path)).byteLength)),
};

const nowhere = { isReadable: false } as const;

/** Returns the paths of the two seeded files to damage, and their replacements. */
async function findPaths({ damaged, other }: RecordKind) {
  const paths = [...(await scene.list('.json')), ...(await scene.list('.revisions'))];
  const [relativePath = ''] = paths.filter((path) => damaged.test(path));
  const [otherPath = ''] = paths.filter((path) => other.test(path) && path !== relativePath);
  const at = (path: string): string => join(scene.directory, path);
  return {
    relativePath,
    path: at(relativePath),
    other: at(otherPath),
    older: join(scene.older, relativePath),
  };
}

async function isUnchanged(path: string, relativePath: string): Promise<boolean> {
  const read = (file: string) => readFile(file).catch(() => nowhere);
  const [now, whole] = await Promise.all([read(path), read(scene.wholePath(relativePath))]);
  return Buffer.isBuffer(now) && Buffer.isBuffer(whole) && now.equals(whole);
}

/**
 * A table has the rows that were written, or none and an error with the reason. Tables that are not
 * affected have all of their rows.
 */
async function expectRows(open: OpenScene, damagedTables: readonly string[]): Promise<void> {
  const found: Record<string, unknown> = {};
  for (const table of Object.keys(expectedRows)) found[table] = await open.rows(table);
  const refused = Object.fromEntries(damagedTables.map((table) => [table, 'TABLE_DAMAGED']));
  expect(found).toEqual({ ...expectedRows, ...refused });
}

async function runTrial(
  kind: RecordKind,
  damage: Damage,
  { isHot, random }: { readonly isHot: boolean; readonly random: Random },
) {
  await scene.restore();
  const paths = await findPaths(kind);
  const isWitness = paths.path.endsWith('.revisions');
  const rowFiles = await scene.list('.parquet');
  if (!isHot) await damage(paths, random);
  await using open = await scene.open();
  if (isHot) {
    await open.pass(1);
    await damage(paths, random);
  }
  const isWhole = await isUnchanged(paths.path, paths.relativePath);
  await open.pass(2);
  // The witness, the file of revisions, is not evidence by itself: without it the records are
  // trusted, and it is written again.
  const damagedTables = isWhole || isWitness ? [] : kind.tables;
  await expectRows(open, damagedTables);
  const problems = (await open.listProblems()).map(({ problem }) => problem);
  if (isWhole || isWitness) expect(problems).toEqual([]);
  else expect(problems.join('\n')).toContain(paths.relativePath);
  // Retention and garbage collection were running, without any grace period.
  expect((await scene.list('.parquet')).filter((path) => !path.includes('/trash/'))).toEqual(
    rowFiles,
  );
  expect(open.events).toEqual([]);
  if (!isHot && !isWhole && !isWitness) {
    expect(open.problems.join('\n')).toContain(paths.relativePath);
  }
  // Once the file is restored, everything is as it was, without a restart.
  await rm(paths.path, { recursive: true, force: true });
  await copyFile(scene.wholePath(paths.relativePath), paths.path);
  await open.pass(2);
  await expectRows(open, []);
  return await open.listProblems();
}

/**
 * A record that belongs to no table is read again at the next start only, or replaced by the next
 * change.
 */
const isReadOnce = (record: string): boolean =>
  ['the queues of tasks', 'the requests to commit'].includes(record);

describe('records of tables that are damaged', () => {
  test.each(
    [...Object.entries(records).entries()].map(([index, [record, kind]]) => ({
      index,
      record,
      kind,
    })),
  )(
    'damaged records of tables give no wrong row and delete no file, the others serve, and the damage is named, and mended by its file: $record',
    async ({ index, record, kind }) => {
      const left: Record<string, unknown> = {};
      for (const [turn, [what, damage]] of Object.entries(damages).entries()) {
        if (seeds === 0 && (index + turn) % 3 !== 0) continue;
        for (let seed = 0; seed <= seeds; seed += 1) {
          const isHot = (index + Math.floor(turn / 3) + seed) % 2 === 0;
          const trial = `${what}, ${isHot ? 'hot' : 'cold'}, seed ${seed}`;
          const random = new SeededRandom(seed * 1_000 + index * 100 + turn);
          left[trial] = await runTrial(kind, damage, { isHot, random }).catch((error: unknown) => {
            throw new Error(`${trial}: ${String(error)}`, { cause: error });
          });
        }
      }
      const none = Object.fromEntries(Object.keys(left).map((trial) => [trial, []]));
      expect(left).toEqual(isReadOnce(record) ? left : none);
    },
    120_000 * (seeds + 1),
  );

  test('clocks of files in the future change nothing', async () => {
    await scene.restore();
    for (const path of [...(await scene.list('.json')), ...(await scene.list('.parquet'))]) {
      await utimes(join(scene.directory, path), 4_000_000_000, 4_000_000_000);
    }
    await using open = await scene.open();
    await open.pass(2);
    await expectRows(open, []);
    expect(await open.listProblems()).toEqual([]);
    expect(open.events).toEqual([]);
  });
});
