/**
 * Builds the tarballs of releases from their tags (or any other refs), and installs each in a
 * project of its own: `node scripts/pack-release.ts [ref…]` fills `.cache/releases/<ref>`, where
 * the test of a rolling upgrade finds it. Without refs it does so for those of test/releases.json.
 *
 * All is done as the ref itself says: its own lock file, its own build.
 */
import { execFileSync, spawnSync } from 'node:child_process';
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

const root = join(import.meta.dirname, '..');
const quiet = [
  '--prefer-offline',
  '--no-audit',
  '--no-fund',
  '--ignore-scripts',
  '--loglevel=error',
];
/** What a broker needs that shares a folder of results with others. */
const packages = ['core', 'results', 'store-file'];

interface Release {
  readonly ref: string;
}

const asked = process.argv.slice(2);
const known = readJson(join(root, 'test/releases.json')) as readonly Release[];
for (const ref of asked.length > 0 ? asked : known.map((release) => release.ref)) {
  const target = join(root, '.cache/releases', ref);
  if (existsSync(target)) console.log(`${ref} is in ${target} already`);
  else if (isInClone(ref)) packRelease(ref, target);
  else console.log(`${ref} is not packed: this clone does not have it`);
}

function packRelease(ref: string, target: string): void {
  const checkout = mkdtempSync(join(tmpdir(), 'quire-release-'));
  const project = `${target}.new`;
  try {
    const archive = join(checkout, 'ref.tar');
    run(root, 'git', 'archive', '-o', archive, ref);
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
      ...packages.map((name) => `./packages/${name}`),
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
    console.log(`installed ${packages.join(', ')} of ${ref} in ${target}`);
  } finally {
    rmSync(checkout, { recursive: true, force: true });
    rmSync(project, { recursive: true, force: true });
  }
}

/** What the release was built with: the program of the test makes its rows with it. */
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

/** A shallow clone has the newest commit only. */
function isInClone(ref: string): boolean {
  return spawnSync('git', ['-C', root, 'cat-file', '-e', `${ref}^{commit}`]).status === 0;
}

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(path, 'utf8'));
}

function run(cwd: string, program: string, ...args: readonly string[]): void {
  execFileSync(program, args, { cwd, stdio: ['ignore', 'ignore', 'inherit'] });
}
