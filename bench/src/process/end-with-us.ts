import type { ChildProcess } from 'node:child_process';

const running = new Map<ChildProcess, NodeJS.Signals>();

// However this process ends, no process that it has started outlives it.
process.on('exit', () => {
  for (const [child, signal] of running) child.kill(signal);
});

/**
 * Ensures that a process does not outlive this one; the signal is for when there is no time for an
 * orderly end.
 */
export function endWithUs(child: ChildProcess, signal: NodeJS.Signals = 'SIGKILL'): void {
  running.set(child, signal);
  child.once('exit', () => running.delete(child));
}
