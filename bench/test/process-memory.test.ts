import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import {
  parseMemory,
  readFamilyMemory,
  readFamilyPeak,
  resetFamilyPeak,
} from '../src/process/process-memory.ts';

test('a process that has ended in a family, and is still listed, counts nothing', async () => {
  // The second program replaces the shell, and never waits for the first one.
  const parent = spawn('sh', ['-c', 'true & exec sleep 1000'], { stdio: 'ignore' });
  const { pid = 0 } = parent;
  await expect
    .poll(async () => {
      const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
      const [child = ''] = children.split(' ');
      return child === '' ? '' : readFile(`/proc/${child}/status`, 'utf8');
    })
    .toMatch(/^State:\s+Z/m);
  expect(await readFamilyMemory(pid)).toBeGreaterThan(0);
  expect(await readFamilyPeak(pid)).toBeGreaterThan(0);
  await resetFamilyPeak(pid);
  parent.kill();
  await once(parent, 'exit');
});

test('a process that is ending, and has released its memory while it still runs, counts nothing', () => {
  expect(parseMemory('Name:\tnode\nState:\tR (running)\nPid:\t7\nThreads:\t1\n')).toEqual({
    residentBytes: 0,
    peakBytes: 0,
  });
  expect(() => parseMemory('')).toThrow('VmRSS');
});
