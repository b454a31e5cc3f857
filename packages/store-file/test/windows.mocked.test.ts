import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { FileObjectStore } from '../src/index.ts';
import { createTemporaryRoot } from './temporary-root.ts';

test('on Windows a store is not opened, and its directory is not made', async () => {
  await using root = await createTemporaryRoot();
  vi.spyOn(process, 'platform', 'get').mockReturnValue('win32');
  await expect(FileObjectStore.open({ root: join(root.path, 'results') })).rejects.toThrow(
    expect.objectContaining({ code: 'UNSUPPORTED' }) as Error,
  );
  expect(readdirSync(root.path)).toEqual([]);
});
