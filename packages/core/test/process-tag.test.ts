import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { pidOfTag, processTag, stateOfOwner } from '../src/process/index.ts';

/** Returns the tag that another process on this machine would have. */
function tagOf(pid: number, startTicks: string): string {
  return processTag().replace(/^\d+-\d+/, `${pid}-${startTicks}`);
}

describe('the tag of a process', () => {
  test('the tag of a process names this one, which runs', () => {
    expect(pidOfTag(processTag())).toBe(process.pid);
    expect(stateOfOwner(processTag())).toBe('alive');
  });

  test('the tag of a process that was killed tells that it is dead', async () => {
    // It waits for a program on its standard input.
    const child = spawn(process.execPath, { stdio: ['pipe', 'ignore', 'ignore'] });
    await once(child, 'spawn');
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(stateOfOwner(tagOf(child.pid!, '1'))).toBe('dead');
  });

  test('the tag of a process whose process id another process has got since tells that it is dead', () => {
    expect(stateOfOwner(tagOf(process.pid, '1'))).toBe('dead');
  });

  test.each(['', '12', '1-2-3', `${process.pid}-1-0123456789ab`, '1-1-0123456789ab'])(
    'the tag of a process: %j tells nothing',
    (tag) => {
      expect(stateOfOwner(tag)).toBe('unknown');
    },
  );
});
