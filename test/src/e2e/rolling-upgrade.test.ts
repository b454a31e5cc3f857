import { execFile, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { ResultStore } from '@quire/results';
import { FileObjectStore } from '@quire/store-file';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { countingJson, countingRows } from '../builders/counting-rows.ts';
import { pageText } from '../builders/page-text.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../../..');
/** The last commit before what stands in packages/results/FORMAT.md as version 1 was written down. */
const olderCommit = '3cc34c1';
const packages = ['core', 'results', 'store-file'];
const hasHistory = spawnSync('git', ['-C', root, 'cat-file', '-e', `${olderCommit}^{commit}`]).status === 0;
const hourMs = 3_600_000;

/** Does one thing to a shared folder of results, as broker `old`, and prints what came of it. */
const program = `
import { ResultStore } from '@quire/results';
import { FileObjectStore } from '@quire/store-file';
import { makeData, Field, Int32, RecordBatch, Schema, Struct } from 'apache-arrow';
const [directory, action, id] = process.argv.slice(2);
const store = await FileObjectStore.open({ root: directory });
await using results = new ResultStore({ store, brokerId: 'old', expirationMs: 3600000, expirationMaxMs: 86400000, isShared: true });
const schema = new Schema([new Field('n', new Int32(), false)]);
async function* batches() {
  const column = makeData({ type: new Int32(), length: 5000, nullCount: 0, data: Int32Array.from({ length: 5000 }, (_, index) => index) });
  yield new RecordBatch(schema, makeData({ type: new Struct(schema.fields), length: 5000, nullCount: 0, children: [column] }));
}
if (action === 'create') console.log((await results.create({ schema, batches: batches() }, { owner: 'ana' })).entry.requestId);
if (action === 'renew') console.log((await results.renew(id, 7200000)).expirationTimeMs);
if (action === 'delete') console.log((await results.delete(id)).requestId);
if (action === 'page') for await (const bytes of (await results.open(id)).page({ offset: 4990, rowCount: 5 }).encode('json')) process.stdout.write(bytes);
`;

describe.skipIf(!hasHistory)('brokers of the version before and of this one, on one store', () => {
  let folder: string;
  let directory: string;
  let results: ResultStore;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'quire-older-'));
    directory = join(folder, 'store');
    mkdirSync(directory);
    const archive = join(folder, 'older.tar');
    await run('git', ['-C', root, 'archive', '-o', archive, olderCommit, ...packages.map((name) => `packages/${name}`)]);
    await run('tar', ['-xf', archive, '-C', folder]);
    const dependencies = new Set<string>(['apache-arrow']);
    for (const name of packages) {
      const source = join(folder, 'packages', name);
      link(source, join(folder, 'node_modules/@quire', name));
      const manifest = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8')) as { dependencies?: object };
      for (const dependency of Object.keys(manifest.dependencies ?? {})) dependencies.add(dependency);
    }
    for (const name of dependencies) {
      if (!name.startsWith('@quire/')) link(join(root, 'node_modules', name), join(folder, 'node_modules', name));
    }
    writeFileSync(join(folder, 'older.mjs'), program);
    const store = await FileObjectStore.open({ root: directory });
    const times = { expirationMs: hourMs, expirationMaxMs: 24 * hourMs };
    results = new ResultStore({ store, brokerId: 'new', isShared: true, stalenessMaxMs: 0, ...times });
  });

  afterAll(async () => {
    await results[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  async function older(action: string, id = ''): Promise<string> {
    const args = ['--conditions=@quire/source', join(folder, 'older.mjs'), directory, action, id];
    return (await run(process.execPath, args, { env: { PATH: process.env['PATH'] } })).stdout.trim();
  }

  test('this one reads, renews and deletes what the older one has stored', async () => {
    const id = await older('create');
    expect(await pageText(await results.open(id), 4990, 5)).toBe(countingJson(4990, 4995));
    await results.renew(id, 2 * hourMs);
    expect(await older('page', id)).toBe(countingJson(4990, 4995));
    await results.delete(id);
    await expect(older('page', id)).rejects.toThrow(/not found/u);
  });

  test('the older one reads, renews and deletes what this one has stored, which notices', async () => {
    const { requestId } = (await results.create(countingRows(5000), { owner: 'ana' })).entry;
    expect(await older('page', requestId)).toBe(countingJson(4990, 4995));
    const expirationTimeMs = Number(await older('renew', requestId));
    expect((await results.open(requestId)).entry.expirationTimeMs).toBe(expirationTimeMs);
    await older('delete', requestId);
    await expect(results.open(requestId)).rejects.toMatchObject({ code: 'RESULT_DELETED' });
  });
});

function link(target: string, path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(target, path);
}
