import { readFile } from 'node:fs/promises';

/** Linux counts a hundred ticks a second for programs, whatever the kernel's own clock does. */
const tickMs = 10;

/**
 * The processor time that a process has taken so far, with all its threads, in user and in kernel
 * mode; in steps of 10 ms.
 */
export async function readProcessorMs(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/stat`, 'utf8');
  // The second field is the name in parentheses, which may hold anything; utime and stime are the
  // 14th and the 15th.
  const [userTicks, systemTicks] = status
    .slice(status.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13);
  return (Number(userTicks) + Number(systemTicks)) * tickMs;
}
