import { existsSync } from 'node:fs';
import { commitOf, folderOfCommit, type Release } from '../../../scripts/releases.ts';
import type { Tool } from '../testkit/toolchain.ts';

/** A project with the packages of an earlier release, as `scripts/pack-release.ts` installs it. */
export function installedRelease(release: Release): Tool {
  const commit = commitOf(release);
  return {
    name: release.what,
    remedy: 'run node scripts/pack-release.ts in a clone that has its commit',
    find: () =>
      commit !== undefined && existsSync(folderOfCommit(commit))
        ? folderOfCommit(commit)
        : undefined,
    // A shallow clone has the newest commit only.
    isOptional: commit === undefined,
  };
}
