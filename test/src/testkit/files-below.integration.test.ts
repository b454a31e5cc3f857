import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from './cli-process.ts';
import { entriesBelow, filesBelow } from './files-below.ts';

test('what is below a directory is listed while others create and delete in it, and nothing else is missing', async () => {
  await using directory = await temporaryDirectory();
  const stays = join(directory.path, '.hidden/a/stays');
  await mkdir(join(directory.path, '.hidden/a'), { recursive: true });
  await writeFile(stays, '');
  let isOver = false;
  const others = [1, 2, 3, 4].map(async (name) => {
    const result = join(directory.path, 'results', String(name));
    while (!isOver) {
      await mkdir(result, { recursive: true });
      await writeFile(join(result, 'data'), '');
      await rm(result, { recursive: true });
    }
  });
  try {
    // Node's own recursive list fails in one of ten.
    for (let list = 0; list < 300; list += 1) {
      expect(await filesBelow(directory.path)).toContain(stays);
    }
  } finally {
    isOver = true;
    await Promise.all(others);
  }
  const names = (await entriesBelow(directory.path)).map(({ name }) => name);
  expect(names.toSorted()).toEqual(['.hidden', 'a', 'results', 'stays']);
  await expect(filesBelow(join(directory.path, 'none'))).rejects.toMatchObject({ code: 'ENOENT' });
});
