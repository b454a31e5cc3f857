import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, expect, it } from 'vitest';

const script = new URL('./pool-owner.process.ts', import.meta.url);
const startingScript = new URL('./starting-worker-owner.process.ts', import.meta.url);

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'quire-orphans-'));
});
afterEach(() => rm(directory, { recursive: true }));

it.each(['SIGKILL', 'SIGTERM', 'SIGINT'] as const)(
  'no worker outlives the process that it works for, whatever it is stuck in, when that is ended by %s',
  async (signal) => {
    const owner = spawn(process.execPath, [script.pathname], {
      stdio: ['ignore', 'pipe', 'inherit'],
      // Killed workers leave their directories behind.
      env: { ...process.env, TMPDIR: directory },
    });
    const [line] = (await once(createInterface({ input: owner.stdout }), 'line')) as [string];
    const pids = JSON.parse(line) as number[];
    expect(pids.filter(isAlive)).toHaveLength(3);
    owner.kill(signal);
    await once(owner, 'exit');
    await expect.poll(() => pids.filter(isAlive)).toEqual([]);
  },
);

it('a worker that is still loading what it works with does not outlive the process that started it', async () => {
  const mark = join(directory, 'loading');
  const env = { ...process.env, QUIRE_TEST_MARK: mark };
  const owner = spawn(process.execPath, [startingScript.pathname], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env,
  });
  const [line] = (await once(createInterface({ input: owner.stdout }), 'line')) as [string];
  const [pid] = JSON.parse(line) as [number];
  try {
    await expect.poll(() => existsSync(mark)).toBe(true);
    owner.kill('SIGKILL');
    await once(owner, 'exit');
    await expect.poll(() => isAlive(pid)).toBe(false);
  } finally {
    if (isAlive(pid)) process.kill(pid, 'SIGKILL');
  }
});

/** Reports whether a process exists that has not ended; a zombie does not count. */
function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
