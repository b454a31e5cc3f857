import { readFile } from 'node:fs/promises';
import { sumOverFamily } from './process-family.ts';

/** Linux counts a hundred ticks a second for programs, whatever the kernel's own clock does. */
const tickMs = 10;

/**
 * The processor time that a process has taken so far, with all its threads, in user and in kernel
 * mode; in steps of 10 ms.
 */
export async function readProcessorMs(pid: number): Promise<number> {
  const [userTicks = 0, systemTicks = 0] = await readTicks(pid);
  return (userTicks + systemTicks) * tickMs;
}

/** The same of a process and of all that it has started, those that have ended included. */
export function readFamilyProcessorMs(pid: number): Promise<number> {
  return sumOverFamily(
    pid,
    async (each) => (await readTicks(each)).reduce((sum, ticks) => sum + ticks, 0) * tickMs,
  );
}

/** Of the process, in user and in kernel mode, then of its children that have ended. */
async function readTicks(pid: number): Promise<readonly number[]> {
  const status = await readFile(`/proc/${pid}/stat`, 'utf8');
  // The second field is the name in parentheses, which may hold anything; utime and stime are the
  // 14th and the 15th, cutime and cstime come next.
  return status
    .slice(status.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 15)
    .map(Number);
}
