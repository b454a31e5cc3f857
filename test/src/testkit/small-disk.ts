import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { shell } from './cli-process.ts';

/** Only root on Linux may mount a small disk. */
export const cannotMount = process.getuid?.() !== 0 || process.platform !== 'linux';

/** A disk of a few megabytes in memory, mounted at a directory until it is disposed of. */
export interface SmallDisk extends AsyncDisposable {
  /** Fills its free space, except for the blocks of other files. */
  fill(): Promise<void>;
  /** Frees the space that `fill` took. */
  empty(): Promise<void>;
  /** Makes it read-only, as a system does when a disk fails, or writable again. */
  setReadOnly(isReadOnly: boolean): Promise<void>;
}

/** @throws Error when the disk cannot be mounted */
export async function mountSmallDisk(path: string, sizeMB: number): Promise<SmallDisk> {
  await mount(`-t tmpfs -o size=${sizeMB}m tmpfs '${path}'`);
  const ballast = join(path, 'ballast');
  return {
    fill: async () => {
      await using file = await open(ballast, 'a');
      const block = Buffer.alloc(4096);
      for (;;) {
        try {
          await file.write(block);
        } catch (error) {
          if (error instanceof Error && 'code' in error && error.code === 'ENOSPC') return;
          throw error;
        }
      }
    },
    empty: () => rm(ballast, { force: true }),
    setReadOnly: async (isReadOnly) => {
      if (!isReadOnly) return void (await shell(`umount -l '${path}'`));
      // A second mount, because the first one has files that are open for writing.
      await mount(`--bind '${path}' '${path}'`);
      await mount(`-o remount,ro,bind '${path}'`);
    },
    [Symbol.asyncDispose]: async () => {
      // Also a second mount.
      await shell(`umount -l '${path}'; umount -l '${path}'`);
    },
  };
}

async function mount(options: string): Promise<void> {
  const { exitCode, stderr } = await shell(`mount ${options}`);
  if (exitCode !== 0) throw new Error(`mount ${options} failed: ${stderr}`);
}
