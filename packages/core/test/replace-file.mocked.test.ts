import type * as Files from 'node:fs/promises';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { replaceFile } from '@quire/core/process';
import { SeededRandom } from '@quire/core/testing';
import { expect, test, vi } from 'vitest';

vi.mock('node:fs/promises', async (importOriginal) => ({
  ...(await importOriginal<typeof Files>()),
  unlink: () => Promise.reject(new Error('The staged file cannot be removed.')),
}));

test('a file that cannot be replaced says why, also if its staged file cannot be removed', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'quire-replace-'));
  const path = join(folder, 'record.json');
  await mkdir(path);
  await expect(replaceFile(path, '{}', new SeededRandom(1))).rejects.toMatchObject({
    code: 'EISDIR',
    syscall: 'rename',
  });
  await rm(folder, { recursive: true });
});
