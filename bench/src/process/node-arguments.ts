import { join } from 'node:path';

/** The directory of the repository. */
export const repositoryRoot = join(import.meta.dirname, '../../..');

/** The argument for Node with which a process runs from the sources. */
export const sourceCondition = '--conditions=@quire/source';

/** Returns arguments for Node with which a process writes a CPU profile, if requested. */
export function profileArguments(profileDirectory: string | undefined): string[] {
  return profileDirectory === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profileDirectory}`];
}
