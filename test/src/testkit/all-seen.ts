import { afterAll, type RunnerTask } from 'vitest';

/**
 * Fails the file when its tests, whichever order they had, have left something unseen; a run of
 * some of them by name does not.
 */
export function expectAllSeen(unseen: () => readonly string[]): void {
  // oxlint-disable-next-line eslint/no-empty-pattern -- Vitest asks for a pattern here
  afterAll(({}, file) => {
    if (file.tasks.some(isSkipped)) return;
    const left = unseen();
    if (left.length > 0) throw new Error(`No test has seen: ${left.join(', ')}`);
  });
}

function isSkipped(task: RunnerTask): boolean {
  return task.mode === 'skip' || ('tasks' in task && task.tasks.some(isSkipped));
}
