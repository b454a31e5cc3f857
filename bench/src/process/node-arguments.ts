import { join } from 'node:path';

/** The directory of the repository. */
export const repositoryRoot = join(import.meta.dirname, '../../..');

/**
 * Returns arguments for Node with which a process runs from the sources, and writes a CPU profile
 * if requested.
 */
export function nodeArguments(profileDirectory: string | undefined): string[] {
  const profile =
    profileDirectory === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profileDirectory}`];
  return ['--conditions=@quire/source', ...profile];
}
