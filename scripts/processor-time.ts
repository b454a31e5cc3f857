/**
 * Records the processor time of each test file, including its processes, for the summary of the
 * run: on a busy machine it is more meaningful than seconds.
 */
import { readFileSync } from 'node:fs';
import { platform } from 'node:os';
import { afterAll } from 'vitest';

/** The milliseconds of a tick in `/proc`, on every machine. */
const tickMs = 10;

declare module 'vitest' {
  interface TaskMeta {
    processorTimeMs?: number;
  }
}

const startMs = processorTimeMs();
// The first hook that is registered is the last that runs: the file's processes have ended.
// oxlint-disable-next-line no-empty-pattern -- Vitest accepts nothing else as the first parameter
afterAll(({}, { meta }) => {
  meta.processorTimeMs = processorTimeMs() - startMs;
});

/** Returns the processor time of this process and of its child processes that have ended. */
function processorTimeMs(): number {
  if (platform() !== 'linux') {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  }
  const stat = readFileSync('/proc/self/stat', 'latin1');
  // The name of the program, in parentheses, may have spaces; utime is the twelfth after it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks) * tickMs, 0);
}
