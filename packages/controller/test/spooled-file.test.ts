import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { SpooledFile } from '../src/preview/spooled-file.ts';

let parent: string;
const { signal } = new AbortController();

beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'quire-spooled-'));
});

afterEach(() => rm(parent, { recursive: true }));

async function* bytes(...texts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}

test('an upload to preview is a file until it is disposed of', async () => {
  {
    await using file = await SpooledFile.write(bytes('a', 'bc'), join(parent, 'deep/er'), signal);
    expect(await readFile(file.path, 'utf8')).toBe('abc');
  }
  expect(await readdir(join(parent, 'deep/er'))).toEqual([]);
});

test('an upload to preview that breaks off or is cancelled leaves nothing', async () => {
  const broken = async function* (): AsyncGenerator<Uint8Array> {
    yield Buffer.from('a');
    throw Object.assign(new Error('gone'), { errno: -104, code: 'ECONNRESET' });
  };
  await expect(SpooledFile.write(broken(), parent, signal)).rejects.toThrow('gone');
  const cancelled = SpooledFile.write(bytes('a'), parent, AbortSignal.abort());
  await expect(cancelled).rejects.toMatchObject({ code: 'ABORTED' });
  expect(await readdir(parent)).toEqual([]);
});

test('an upload to preview that cannot be stored is refused with the reason', async () => {
  const file = join(parent, 'file');
  await writeFile(file, '');
  await expect(SpooledFile.write(bytes('a'), file, signal)).rejects.toMatchObject({
    code: 'STORE_UNAVAILABLE',
    message:
      'The upload cannot be stored: the directory for temporary files cannot be written (EEXIST).',
    adminHint: `It is ${file}.`,
  });
});
