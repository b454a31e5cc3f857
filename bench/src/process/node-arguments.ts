import { join } from 'node:path';

/** Where the repository is. */
export const repositoryRoot = join(import.meta.dirname, '../../..');

/**
 * Arguments for Node with which a process runs from the sources, and leaves a CPU profile behind if
 * wanted.
 */
export function nodeArguments(profileDirectory: string | undefined): string[] {
  const profile =
    profileDirectory === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profileDirectory}`];
  return ['--conditions=@quire/source', ...profile];
}
