import { existsSync, rmSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import './end-with-us.ts'; // first ends the processes that write there

const present = new Set<string>();

// Gigabytes may remain there if a run is interrupted.
process.on('exit', () => {
  for (const directory of present) removeFromUnderProcesses(directory);
});
process.once('SIGINT', () => process.exit(130));
process.once('SIGTERM', () => process.exit(143));

/** Runs a function with an empty directory, which is removed afterwards, whatever happens. */
export async function inScratchDirectory<T>(run: (directory: string) => Promise<T>): Promise<T> {
  const directory = await mkdtemp(join(tmpdir(), 'quire-bench-'));
  present.add(directory);
  try {
    await chmod(directory, 0o755); // PostgreSQL may have to run as another user, and reads a file in here
    return await run(directory);
  } finally {
    await rm(directory, { recursive: true, force: true });
    present.delete(directory);
  }
}

/**
 * Processes that were just killed may still write and delete there for a moment, which makes rmSync
 * fail.
 */
function removeFromUnderProcesses(directory: string): void {
  for (let attempt = 1; existsSync(directory); attempt += 1) {
    try {
      rmSync(directory, { recursive: true, force: true });
    } catch (error) {
      if (attempt === 20) throw error;
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 25);
  }
}
