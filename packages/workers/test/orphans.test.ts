import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect, it } from 'vitest';

const script = new URL('./pool-owner.process.ts', import.meta.url);

it.each(['SIGKILL', 'SIGTERM', 'SIGINT'] as const)(
  'no worker outlives the process that it works for, whatever it is stuck in, when that is ended by %s',
  async (signal) => {
    const owner = spawn(process.execPath, [script.pathname], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [line] = (await once(createInterface({ input: owner.stdout }), 'line')) as [string];
    const pids = JSON.parse(line) as number[];
    expect(pids.filter(isAlive)).toHaveLength(3);
    owner.kill(signal);
    await once(owner, 'exit');
    await expect.poll(() => pids.filter(isAlive), { timeout: 20_000 }).toEqual([]);
  },
);

/** Whether a process is there that has not ended; one that has, but was not waited for, does not count. */
function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
