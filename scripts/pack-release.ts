/**
 * Builds the tarballs of earlier releases, and installs each in a project of its own:
 * `node scripts/pack-release.ts` fills `.cache/releases/<commit>`, where the tests of upgrades find
 * them, for each release of test/releases.json that this clone has.
 *
 * Each release is built with its own lock file and its own build script.
 */
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { commitOf, folderOfCommit, earlierReleases, type Release } from './releases.ts';

const root = join(import.meta.dirname, '..');
const quiet = [
  '--prefer-offline',
  '--no-audit',
  '--no-fund',
  '--ignore-scripts',
  '--loglevel=error',
];

for (const release of earlierReleases()) {
  const commit = commitOf(release);
  if (commit === undefined) {
    console.log(`${release.what}: not packed, since this clone does not have its commit`);
  } else if (existsSync(folderOfCommit(commit))) {
    console.log(`${release.what}: in ${folderOfCommit(commit)} already`);
  } else packRelease(release, commit);
}

function packRelease({ packages, what }: Release, commit: string): void {
  const target = folderOfCommit(commit);
  const checkout = mkdtempSync(join(tmpdir(), 'quire-release-'));
  const project = `${target}.new`;
  try {
    const archive = join(checkout, 'ref.tar');
    run(root, 'git', 'archive', '-o', archive, commit);
    run(checkout, 'tar', '-xf', archive);
    run(checkout, 'npm', 'ci', ...quiet);
    run(checkout, process.execPath, 'scripts/build.ts');
    rmSync(project, { recursive: true, force: true });
    mkdirSync(project, { recursive: true });
    run(
      checkout,
      'npm',
      'pack',
      '--ignore-scripts',
      '--pack-destination',
      project,
      ...(packages ?? packagesOf(checkout)).map((name) => `./packages/${name}`),
    );
    const tarballs = readdirSync(project).map((file) => `file:${file}`);
    writeFileSync(
      join(project, 'package.json'),
      JSON.stringify({ name: 'older', private: true, type: 'module' }),
    );
    run(
      project,
      'npm',
      'install',
      ...quiet,
      ...tarballs,
      `apache-arrow@${arrowVersionOf(checkout)}`,
    );
    renameSync(project, target);
    console.log(`${what}: installed in ${target}`);
  } finally {
    rmSync(checkout, { recursive: true, force: true });
    rmSync(project, { recursive: true, force: true });
  }
}

/** Returns the apache-arrow version of the release, which the test's program uses to write rows. */
function arrowVersionOf(checkout: string): string {
  const lock = readJson(join(checkout, 'package-lock.json')) as {
    readonly packages: Readonly<Record<string, { readonly version: string }>>;
  };
  const { version } = lock.packages['node_modules/apache-arrow'] ?? {};
  if (version === undefined) {
    throw new Error('The release has no apache-arrow in its package-lock.json.');
  }
  return version;
}

/** The folders of the packages that a checkout has. */
function packagesOf(checkout: string): readonly string[] {
  return readdirSync(join(checkout, 'packages'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
}

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(path, 'utf8'));
}

function run(cwd: string, program: string, ...args: readonly string[]): void {
  execFileSync(program, args, { cwd, stdio: ['ignore', 'ignore', 'inherit'] });
}
