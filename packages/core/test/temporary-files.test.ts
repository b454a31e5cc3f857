import { mkdir, mkdtemp, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createTemporaryDirectory, orUploadError, processTag } from '../src/process/index.ts';

let parent: string;

beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'quire-temporary-'));
});

afterEach(() => rm(parent, { recursive: true }));

test('a directory for temporary files belongs to its process, and deletes those of dead ones', async () => {
  const [pid, ticks, host] = processTag().split('-');
  const dead = `${pid}-${Number(ticks) + 1}-${host}`;
  const kept = [
    `preview-${processTag()}.alive1`,
    `preview-${pid}-1-${'0'.repeat(12)}.abroad`,
    `other-${dead}.abc`,
    `preview-${dead}`,
  ];
  for (const name of [...kept, `preview-${dead}.abc`, `duckdb-${dead}.abc`]) {
    await mkdir(join(parent, name));
    await writeFile(join(parent, name, 'upload'), 'bytes');
  }
  await symlink(join(parent, kept[0] ?? ''), join(parent, `preview-${dead}.link`));
  const made = await createTemporaryDirectory(parent, 'preview');
  expect(basename(made)).toMatch(new RegExp(`^preview-${processTag()}\\.\\w+$`));
  expect((await stat(made)).mode & 0o777).toBe(0o700);
  const left = [...kept, `preview-${dead}.link`, basename(made)];
  expect(await readdir(parent)).toEqual(left.toSorted());
  expect(await readdir(join(parent, kept[0] ?? ''))).toEqual(['upload']);
});

test.each([
  ['ENOSPC', 'STORE_FULL', 'is full'],
  ['EDQUOT', 'STORE_FULL', 'is full'],
  ['EROFS', 'STORE_UNAVAILABLE', 'cannot be written (EROFS)'],
])('an upload that fails with %s is %s', async (code, expected, problem) => {
  const cause = Object.assign(new Error('write'), { errno: -1, code });
  await expect(orUploadError('/temp', Promise.reject(cause))).rejects.toMatchObject({
    code: expected,
    message: `The upload cannot be stored: the directory for temporary files ${problem}.`,
    adminHint: 'It is /temp.',
    isForCallers: true,
  });
  await expect(orUploadError('/temp', Promise.reject(new TypeError('x')))).rejects.toThrow(
    TypeError,
  );
});
