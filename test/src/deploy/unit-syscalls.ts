import { execFileSync } from 'node:child_process';

/** The system calls that a unit of systemd allows, by its filters in their order. */
export function syscallsOf(systemdAnalyze: string, unit: string): readonly string[] {
  const allowed = new Set<string>();
  for (const [, isRefused, set = ''] of unit.matchAll(/^SystemCallFilter=(~?)(\S+)$/gm)) {
    for (const call of callsOf(systemdAnalyze, set)) {
      if (isRefused === '~') allowed.delete(call);
      else allowed.add(call);
    }
  }
  return [...allowed].toSorted();
}

/** The calls of a set such as `@system-service`, those of the sets in it included. */
function callsOf(systemdAnalyze: string, set: string): readonly string[] {
  const text = execFileSync(systemdAnalyze, ['syscall-filter', set], { encoding: 'utf8' });
  const members = text
    .split('\n')
    .slice(1)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
  return members.flatMap((name) => (name.startsWith('@') ? callsOf(systemdAnalyze, name) : [name]));
}
