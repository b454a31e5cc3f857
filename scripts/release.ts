/**
 * Makes a release of the repository in the working directory:
 *
 *     npm run release -- 0.2.0 [--sign]
 *
 * Sets the version of all packages, of the lock file, of the Helm chart and of its rendered files,
 * dates the section "Unreleased" of CHANGELOG.md, commits that, and tags the commit `v0.2.0`. It
 * pushes and publishes nothing: RELEASING.md has the steps before and after.
 */
import { execFileSync } from 'node:child_process';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { releaseSubject } from './releases.ts';

type Json = Record<string, unknown>;

const [version = '', ...flags] = process.argv.slice(2);
const manifests = globSync([
  'package.json',
  'packages/*/package.json',
  'test/package.json',
  'bench/package.json',
  'docs/package.json',
]);
const current = String(readJson('package.json')['version']);

const problem = problemOf();
if (problem === undefined) release();
else {
  console.error(problem);
  process.exitCode = 1;
}

function problemOf(): string | undefined {
  if (!/^\d+\.\d+\.\d+$/.test(version)) {
    return `The version is '${version}'; expected three numbers, such as 0.2.0.`;
  }
  if (!isNewer(version, current)) return `${version} is not newer than ${current}.`;
  if (git('status', '--porcelain') !== '') {
    return 'There are changes that are not committed; commit them first.';
  }
  if (git('tag', '--list', `v${version}`) !== '') return `The tag v${version} exists.`;
  if (unreleased(readFileSync('CHANGELOG.md', 'utf8')) === '') {
    return 'The section Unreleased of CHANGELOG.md is empty; say there what changes.';
  }
  return undefined;
}

function release(): void {
  for (const path of manifests) writeJson(path, withVersion(readJson(path)));
  const lock = readJson('package-lock.json');
  const packages = Object.entries(lock['packages'] as Record<string, Json>).map(
    ([path, entry]) => [path, path.includes('node_modules/') ? entry : withVersion(entry)] as const,
  );
  writeJson('package-lock.json', { ...lock, version, packages: Object.fromEntries(packages) });
  for (const path of [
    'deploy/helm/quire/Chart.yaml',
    'deploy/kubernetes.yaml',
    'deploy/compose.yaml',
  ]) {
    replaceIn(path, current, version);
  }
  replaceIn('README.md', `Quire ${current}`, `Quire ${version}`);
  const date = new Date().toISOString().slice(0, 10);
  replaceIn('CHANGELOG.md', '## [Unreleased]\n', `## [Unreleased]\n\n## [${version}] - ${date}\n`);
  // From the next commit on, tests upgrade the servers of this release. They find the commit made
  // here by its subject.
  const own = JSON.stringify([{ version, what: `the release ${version}` }], null, 2);
  replaceIn('test/releases.json', '\n]\n', own.replace('[', ',').concat('\n'));
  git('commit', '--all', '--quiet', '--message', releaseSubject(version));
  git(
    'tag',
    flags.includes('--sign') ? '--sign' : '--annotate',
    '--message',
    `Quire ${version}`,
    `v${version}`,
  );
  console.log(`Committed and tagged v${version}. RELEASING.md says how to publish it.`);
}

/**
 * Returns a manifest, or its entry in the lock file, with the version, also that of the packages
 * that it needs.
 */
function withVersion(manifest: Json): Json {
  const sections = ['dependencies', 'devDependencies', 'peerDependencies'].flatMap((name) => {
    const section = manifest[name] as Record<string, string> | undefined;
    if (section === undefined) return [];
    const entries = Object.entries(section).map(([dependency, range]) => [
      dependency,
      dependency.startsWith('@quire/') && range === current ? version : range,
    ]);
    return [[name, Object.fromEntries(entries)]];
  });
  const own = 'version' in manifest ? { version } : {};
  return { ...manifest, ...own, ...Object.fromEntries(sections) };
}

/** Returns the section of CHANGELOG.md about changes since the last release. */
function unreleased(changelog: string): string {
  const [, section = ''] = changelog.split('## [Unreleased]\n');
  return (section.split(/^## /m)[0] ?? '').trim();
}

function isNewer(one: string, other: string): boolean {
  const [first = [], second = []] = [one, other].map((each) => each.split('.').map(Number));
  const difference = first
    .map((part, index) => part - (second[index] ?? 0))
    .find((each) => each !== 0);
  return difference !== undefined && difference > 0;
}

function replaceIn(path: string, before: string, after: string): void {
  const text = readFileSync(path, 'utf8');
  if (!text.includes(before)) throw new Error(`${path} does not have '${before.trim()}'.`);
  writeFileSync(path, text.replaceAll(before, after));
}

function git(...args: readonly string[]): string {
  return execFileSync('git', args, { encoding: 'utf8' }).trim();
}

function readJson(path: string): Json {
  return JSON.parse(readFileSync(path, 'utf8')) as Json;
}

function writeJson(path: string, content: unknown): void {
  writeFileSync(path, `${JSON.stringify(content, null, 2)}\n`);
}
