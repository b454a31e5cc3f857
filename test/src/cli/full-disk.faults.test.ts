import { closeSync, openSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { systemRandom } from '@quire/core';
import type { PreviewResponse } from '@quire/tables';
import { describe, expect, test } from 'vitest';
import { processOutput } from '../../../packages/cli/src/output.ts';
import { writeProposal } from '../../../packages/cli/src/tables/write-proposal.ts';
import { temporaryDirectory } from '../testkit/cli-process.ts';
import { cannotMount, mountSmallDisk } from '../testkit/small-disk.ts';

describe.skipIf(cannotMount)(
  'a command and a full disk (skipped unless root on Linux, who may mount a small one)',
  () => {
    test('output that fits only in part is a failure, although the system has written some of it', async () => {
      await using directory = await temporaryDirectory();
      await using _disk = await mountSmallDisk(directory.path, 1);
      const fd = openSync(join(directory.path, 'out'), 'w');
      const stream = Object.assign(new PassThrough(), { fd }) as unknown as typeof process.stdout;
      await expect(processOutput(stream, 'It').write('x'.repeat(2 ** 21))).rejects.toThrow(
        /^It cannot be written: ENOSPC/,
      );
      closeSync(fd);
    });

    test('a preview that cannot be saved leaves no part of a file, and the file that was there', async () => {
      await using directory = await temporaryDirectory();
      await using disk = await mountSmallDisk(directory.path, 1);
      const preview = { tableConfig: {}, schema: { a: 1 }, tableConfigs: { tableName: 't' } };
      const save = (isForced: boolean) =>
        writeProposal(preview as unknown as PreviewResponse, directory.path, {
          isForced,
          random: systemRandom,
        });
      await disk.fill();
      const problem = 't.schema.json cannot be written: ENOSPC.';
      await expect(save(false)).rejects.toThrow(problem);
      expect(await readdir(directory.path)).toEqual(['ballast']);
      await disk.empty();
      await writeFile(join(directory.path, 't.schema.json'), 'mine');
      await disk.fill();
      await expect(save(true)).rejects.toThrow(problem);
      expect((await readdir(directory.path)).toSorted()).toEqual(['ballast', 't.schema.json']);
      expect(await readFile(join(directory.path, 't.schema.json'), 'utf8')).toBe('mine');
      await disk.empty();
      expect(await save(true)).toEqual(['t.schema.json', 't.table.json']);
    });
  },
);
