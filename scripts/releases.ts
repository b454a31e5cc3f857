/**
 * Earlier releases, which the tests of upgrades run together with this one: `test/releases.json`.
 *
 * They are found by their commits. A clone may lack the tags, which a branch does not include, and
 * the release script cannot write the id of the commit that it is about to make into it.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');

/** A release, or a commit that represents one. */
export interface Release {
  /** Absent for a commit that was never released. */
  readonly version?: string;
  /** Default: the commit that `scripts/release.ts` made, by its subject. */
  readonly commit?: string;
  /** The packages that tests need of it. Default: all. */
  readonly packages?: readonly string[];
  readonly what: string;
}

/** Returns the releases, oldest first. */
export function readReleases(): readonly Release[] {
  return JSON.parse(readFileSync(join(root, 'test/releases.json'), 'utf8')) as readonly Release[];
}

/** Returns the releases before this tree: at the commit of a release, all but that one. */
export function earlierReleases(): readonly Release[] {
  const head = git('rev-parse', 'HEAD');
  return readReleases().filter((release) => head === undefined || commitOf(release) !== head);
}

/** Returns the commit of a release; undefined in a clone without it, such as a shallow one. */
export function commitOf(release: Release): string | undefined {
  if (release.commit !== undefined) {
    return git('cat-file', '-e', `${release.commit}^{commit}`) === undefined
      ? undefined
      : release.commit;
  }
  const subject = `^${releaseSubject(release.version ?? '').replaceAll('.', '\\.')}$`;
  const commit = git('log', '-1', '--format=%H', `--grep=${subject}`, 'HEAD');
  return commit === '' ? undefined : commit;
}

/** Returns the folder of a release of this commit, as `scripts/pack-release.ts` installs it. */
export function folderOfCommit(commit: string): string {
  return join(root, '.cache/releases', commit.slice(0, 7));
}

/** The subject of the commit of a release. */
export function releaseSubject(version: string): string {
  return `Release ${version}`;
}

/** Returns what git wrote; undefined when it failed. */
function git(...args: readonly string[]): string | undefined {
  const { status, stdout } = spawnSync('git', ['-C', root, ...args], { encoding: 'utf8' });
  return status === 0 ? stdout.trim() : undefined;
}
