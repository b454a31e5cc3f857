import { readFile, rm, writeFile } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';

const lookAgainMs = 100;

/**
 * Runs a function while no other process runs it: test files and `npm start` may all need the same
 * build at once.
 */
export async function whileLocked<Value>(
  lockFile: string,
  task: () => Promise<Value>,
): Promise<Value> {
  while (!(await takeLock(lockFile))) {
    if (!(await isHeld(lockFile))) await rm(lockFile, { force: true });
    else await setTimeout(lookAgainMs);
  }
  try {
    return await task();
  } finally {
    await rm(lockFile, { force: true });
  }
}

async function takeLock(lockFile: string): Promise<boolean> {
  try {
    await writeFile(lockFile, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

/** Reports whether the process that has the lock is alive; one that was killed leaves its file. */
async function isHeld(lockFile: string): Promise<boolean> {
  const holder = Number(await readFile(lockFile, 'utf8').catch(() => ''));
  if (!Number.isSafeInteger(holder) || holder <= 0) return true; // not written yet, or just gone
  try {
    process.kill(holder, 0);
    return true;
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH');
  }
}
