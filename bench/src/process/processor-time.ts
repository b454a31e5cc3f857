import { readFile } from 'node:fs/promises';
import { sumOverFamily } from './process-family.ts';

/** Linux reports a hundred ticks per second to programs, whatever the kernel's own clock. */
const tickMs = 10;

/**
 * Returns the processor time of a process and all its descendants so far, including those that have
 * ended, in user and in kernel mode; in steps of 10 ms.
 */
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
