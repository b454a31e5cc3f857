import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readJsonFile } from '../src/read-json-file.ts';

test('a JSON file may start with a byte order mark, and must be UTF-8', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'quire-json-'));
  await writeFile(join(directory, 'marked.json'), '\uFEFF{"name":"Zo\u00EB"}');
  await writeFile(join(directory, 'latin.json'), Buffer.from('{"name":"Zo\u00EB"}', 'latin1'));
  expect(await readJsonFile('marked.json', { directory })).toEqual({ name: 'Zo\u00EB' });
  await expect(readJsonFile('latin.json', { directory })).rejects.toMatchObject({
    code: 'INVALID_BODY',
    message: 'latin.json is not UTF-8 text.',
  });
  await rm(directory, { recursive: true });
});
