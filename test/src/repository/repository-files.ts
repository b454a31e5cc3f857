import { execFileSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../../..');

/** Every file that is, or would be, committed: its path from the root of the repository. */
export function repositoryFiles(): string[] {
  const list = execFileSync(
    'git',
    ['ls-files', '-z', '--cached', '--others', '--exclude-standard'],
    {
      cwd: root,
      encoding: 'utf8',
    },
  );
  return list
    .split('\0')
    .filter(
      (path) =>
        path !== '' && statSync(join(root, path), { throwIfNoEntry: false })?.isFile() === true,
    );
}

export function textOf(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}
