import { readFile } from 'node:fs/promises';
import { sumOverFamily } from './process-family.ts';

/** Linux reports a hundred ticks per second to programs, whatever the kernel's own clock. */
const tickMs = 10;

/**
 * Returns the processor time of a process so far, with all its threads, in user and in kernel mode;
 * in steps of 10 ms.
 */
export async function readProcessorMs(pid: number): Promise<number> {
  const [userTicks = 0, systemTicks = 0] = await readTicks(pid);
  return (userTicks + systemTicks) * tickMs;
}

/** Returns the same for a process and all its descendants, including those that have ended. */
export function readFamilyProcessorMs(pid: number): Promise<number> {
  return sumOverFamily(
    pid,
    async (each) => (await readTicks(each)).reduce((sum, ticks) => sum + ticks, 0) * tickMs,
  );
}

/**
 * Returns the times of the process, in user and in kernel mode, then of its children that have
 * ended.
 */
async function readTicks(pid: number): Promise<readonly number[]> {
  const status = await readFile(`/proc/${pid}/stat`, 'utf8');
  // The second field is the name in parentheses, which may contain anything; utime and stime are
  // the 14th and the 15th, cutime and cstime follow.
  return status
    .slice(status.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 15)
    .map(Number);
}
