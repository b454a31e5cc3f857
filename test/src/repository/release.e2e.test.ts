import { execFileSync, spawnSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { commitOf, readReleases } from '../../../scripts/releases.ts';
import { temporaryDirectory } from '../testkit/cli-process.ts';

const root = join(import.meta.dirname, '../../..');
const script = join(root, 'scripts/release.ts');
const author = {
  ...process.env,
  GIT_AUTHOR_NAME: 'Test',
  GIT_AUTHOR_EMAIL: 'test@example.com',
  GIT_COMMITTER_NAME: 'Test',
  GIT_COMMITTER_EMAIL: 'test@example.com',
  GIT_CONFIG_GLOBAL: '/dev/null',
};

/** A repository of its own with the files of this one. */
let repository: Awaited<ReturnType<typeof temporaryDirectory>>;

const git = (...args: readonly string[]): string =>
  execFileSync('git', args, { cwd: repository.path, encoding: 'utf8', env: author }).trim();
const read = (path: string): Promise<string> => readFile(join(repository.path, path), 'utf8');
const release = (...args: readonly string[]): { status: number | null; text: string } => {
  const command = [script, ...args];
  const options = { cwd: repository.path, encoding: 'utf8', env: author } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, command, options);
  return { status, text: `${stdout}${stderr}`.trim() };
};

beforeAll(async () => {
  repository = await temporaryDirectory();
  const files = execFileSync('git', ['ls-files', '-z'], { cwd: root });
  const archive = execFileSync('tar', ['-c', '--null', '--files-from=-'], {
    cwd: root,
    input: files,
    maxBuffer: 512 * 1024 * 1024,
  });
  execFileSync('tar', ['-x'], { cwd: repository.path, input: archive });
  git('init', '--quiet');
  git('add', '--all');
  git('commit', '--quiet', '--message', 'Everything');
  git('branch', 'everything');
});

beforeEach(() => {
  git('reset', '--quiet', '--hard', 'everything');
  for (const tag of git('tag', '--list').split('\n').filter(Boolean)) git('tag', '--delete', tag);
});

afterAll(() => repository[Symbol.asyncDispose]());

test('the releases that tests upgrade from are the commits of their tags, where a clone has these', () => {
  const inClone = (...args: readonly string[]): string =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
  const tags = new Set(inClone('tag', '--list', 'v*').split('\n').filter(Boolean));
  const versions = readReleases().flatMap((each) => each.version ?? []);
  const tagged = versions.filter((version) => tags.has(`v${version}`));
  expect(tagged.map((version) => `v${version}`).toSorted()).toEqual([...tags].toSorted());
  for (const release of readReleases()) {
    if (!tags.has(`v${release.version}`)) continue;
    expect(inClone('rev-list', '-n', '1', `v${release.version}`)).toBe(commitOf(release));
  }
});

test.each([
  ['next', /^The version is 'next'; expected three numbers, such as 0\.2\.0\.$/],
  ['0.0.9', /^0\.0\.9 is not newer than \d+\.\d+\.\d+\.$/],
])('a release of %s is refused', (version, message) => {
  const { status, text } = release(version);
  expect(status).toBe(1);
  expect(text).toMatch(message);
  expect(git('status', '--porcelain')).toBe('');
  expect(git('tag', '--list')).toBe('');
});

test('a release of what is not committed is refused', async () => {
  const before = await read('CHANGELOG.md');
  await writeFile(join(repository.path, 'CHANGELOG.md'), `${before}\n`);
  expect(release('98.0.0')).toEqual({
    status: 1,
    text: 'There are changes that are not committed; commit them first.',
  });
  await writeFile(join(repository.path, 'CHANGELOG.md'), before);
});

test('a release sets one version everywhere, dates the changes, and tags the commit; a second one needs changes', async () => {
  const { version: before } = JSON.parse(await read('package.json')) as { version: string };
  const releasesBefore = await read('test/releases.json');
  expect(release('98.0.0')).toEqual({
    status: 0,
    text: 'Committed and tagged v98.0.0. RELEASING.md says how to publish it.',
  });
  expect(git('status', '--porcelain')).toBe('');
  expect(git('rev-parse', 'v98.0.0^{commit}')).toBe(git('rev-parse', 'HEAD'));
  expect(git('cat-file', '-t', 'v98.0.0')).toBe('tag');

  const lock = JSON.parse(await read('package-lock.json')) as {
    readonly packages: Readonly<Record<string, object>>;
  };
  const folders = ['packages/*', 'bench', 'docs', 'test'];
  const manifests = git('ls-files', ...folders.map((folder) => `${folder}/package.json`)).split(
    '\n',
  );
  expect(manifests.length).toBeGreaterThan(20);
  for (const path of manifests) {
    const { version, dependencies = {} } = JSON.parse(await read(path)) as {
      readonly version: string;
      readonly dependencies?: Readonly<Record<string, string>>;
    };
    expect([path, version]).toEqual([path, '98.0.0']);
    const ours = Object.entries(dependencies).filter(([name]) => name.startsWith('@quire/'));
    expect(ours.filter(([, range]) => range !== '98.0.0')).toEqual([]);
    expect(lock.packages[path.replace('/package.json', '')]).toMatchObject({
      version,
      ...(Object.keys(dependencies).length > 0 && { dependencies }),
    });
  }
  expect(await read('deploy/helm/quire/Chart.yaml')).toContain(
    '\nversion: 98.0.0\nappVersion: 98.0.0\n',
  );
  for (const path of ['deploy/kubernetes.yaml', 'deploy/compose.yaml']) {
    expect(await read(path)).not.toContain(before);
  }
  const today = new Date().toISOString().slice(0, 4);
  expect(await read('CHANGELOG.md')).toMatch(
    new RegExp(
      `\\n## \\[Unreleased\\]\\n\\n## \\[98\\.0\\.0\\] - ${today}-\\d\\d-\\d\\d\\n\\n### `,
    ),
  );
  const own = '  {\n    "version": "98.0.0",\n    "what": "the release 98.0.0"\n  }';
  // Lines are added to the formatter's layout, and nothing else changes.
  expect(await read('test/releases.json')).toBe(
    releasesBefore.replace(/\n\]\n$/, `,\n${own}\n]\n`),
  );

  expect(release('98.0.1')).toEqual({
    status: 1,
    text: 'The section Unreleased of CHANGELOG.md is empty; say there what changes.',
  });
});
