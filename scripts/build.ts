/**
 * Builds every package from src to dist, lower levels first, bundles the command, and checks with
 * publint the files that npm would publish.
 *
 * A package is compiled against the dist of the packages below it, never against their sources, as
 * it is for its users. One whose files have not changed since its last build is not compiled again.
 */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { execFile } from 'node:child_process';
import { chmod, copyFile, mkdir, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { bundleCommand } from './bundle-command.ts';
import { ensureSite } from '../packages/console/scripts/build-site.ts';

interface Manifest {
  readonly name: string;
  readonly bin?: Record<string, string>;
  readonly dependencies?: Record<string, string>;
  /** Those that the bundle of the command contains. */
  readonly devDependencies?: Record<string, string>;
}

interface Package {
  readonly folder: string;
  readonly manifest: Manifest;
}

interface BuiltPackage extends Package {
  readonly stamp: string;
  /** The digest of its inputs. */
  readonly digest: string;
}

const run = promisify(execFile);
const root = join(import.meta.dirname, '..');
const running = new Set<Promise<unknown>>();
const stamps = join(root, 'node_modules/.cache/build');
/** The inputs of every package besides its own files: the compiler, its options, this program. */
const common = await digestOf([
  import.meta.filename,
  join(import.meta.dirname, 'bundle-command.ts'),
  join(root, 'package-lock.json'),
  join(root, 'tsconfig.json'),
  join(root, 'tsconfig.build.json'),
]);
const digests = new Map<string, string>();
const built: BuiltPackage[] = [];

const problems = await build(inBuildOrder(await readPackages()));
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;

/** Builds each package after those that it depends on, and as many at once as there are cores. */
async function build(packages: readonly Package[]): Promise<string[]> {
  const builds = new Map<string, Promise<string[]>>();
  const failed = new Set<string>();
  // In build order: the builds of those below are in the map already.
  for (const each of packages) {
    const { name } = each.manifest;
    const below = namesBelow(each);
    const building = Promise.all(below.flatMap((dependency) => builds.get(dependency) ?? [])).then(
      async () => {
        const isHopeless = below.some((dependency) => failed.has(dependency));
        // A package above a failed one would fail as well.
        const problems = isHopeless ? [] : await inTurn(() => buildPackage(each));
        if (isHopeless || problems.length > 0) failed.add(name);
        return problems;
      },
    );
    builds.set(name, building);
  }
  const problems = (await Promise.all(builds.values())).flat();
  return problems.length > 0 ? problems : (await Promise.all(built.map(lintAndStamp))).flat();
}

async function inTurn<Value>(work: () => Promise<Value>): Promise<Value> {
  while (running.size >= availableParallelism()) await Promise.race(running);
  const result = work();
  running.add(result);
  try {
    return await result;
  } finally {
    running.delete(result);
  }
}

/** Returns the problems of the package; empty if it was built. */
async function buildPackage(each: Package): Promise<string[]> {
  const { folder, manifest } = each;
  const stamp = join(stamps, basename(folder));
  const digest = await digestOfPackage(each);
  const isCommand = basename(folder) === 'cli';
  const output = join(folder, isCommand ? 'bundle/packages.json' : 'dist/index.js');
  const isBuilt =
    existsSync(output) && (await readFile(stamp, 'utf8').catch(() => undefined)) === digest;
  if (!isBuilt) {
    await rm(stamp, { force: true });
    const errors = await compile(folder);
    if (errors !== '') return [`${manifest.name} does not compile`, errors];
    await rewriteDeclarations(join(folder, 'dist'));
    if (isCommand) await bundleCommand(join(root, 'packages'));
  }
  // A checkout makes files newer that it does not change: tests compare times.
  await utimes(output, new Date(), new Date());
  for (const path of Object.values(manifest.bin ?? {})) await chmod(join(folder, path), 0o755);
  await copyCommonFiles(folder);
  if (basename(folder) === 'console') await ensureSite(console.log);
  console.log(`${isBuilt ? 'unchanged' : 'built'} ${manifest.name}`);
  if (!isBuilt) built.push({ ...each, stamp, digest });
  return [];
}

/** Returns the digest of the inputs of a package, including the packages below it. */
async function digestOfPackage(each: Package): Promise<string> {
  const { folder, manifest } = each;
  const sources = await readdir(join(folder, 'src'), { recursive: true, withFileTypes: true });
  const files = sources
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted();
  const own = await digestOf([
    join(folder, 'package.json'),
    join(folder, 'tsconfig.build.json'),
    ...files,
  ]);
  const below = namesBelow(each).map((name) => digests.get(name) ?? '');
  const digest = createHash('sha256')
    .update([common, own, ...below].join())
    .digest('hex');
  digests.set(manifest.name, digest);
  return digest;
}

async function digestOf(paths: readonly string[]): Promise<string> {
  const hash = createHash('sha256');
  for (const path of paths) hash.update(`${path}\n`).update(await readFile(path));
  return hash.digest('hex');
}

/**
 * Copies the files that every tarball includes, but that git stores only once. The command's
 * tarball also includes the settings and examples.
 */
async function copyCommonFiles(folder: string): Promise<void> {
  for (const file of ['LICENSE', 'CHANGELOG.md']) {
    await copyFile(join(root, file), join(folder, file));
  }
  if (basename(folder) !== 'cli') return;
  await rm(join(folder, 'config'), { recursive: true, force: true });
  await mkdir(join(folder, 'config'));
  // Those of the quickstart and of the cluster need the sample tables of this repository.
  const files = (await readdir(join(root, 'config'), { withFileTypes: true })).filter((each) =>
    each.isFile(),
  );
  for (const { name } of files) {
    if (name !== 'quickstart.properties') {
      await copyFile(join(root, 'config', name), join(folder, 'config', name));
    }
  }
}

async function readPackages(): Promise<Package[]> {
  const names = await readdir(join(root, 'packages'));
  const folders = names
    .filter((name) => !name.includes('.'))
    .map((name) => join(root, 'packages', name));
  return Promise.all(
    folders.map(async (folder) => ({ folder, manifest: await readManifest(folder) })),
  );
}

async function readManifest(folder: string): Promise<Manifest> {
  return JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Manifest;
}

/** Returns the names of what a package is built from, our own packages and others. */
function namesBelow({ manifest: { dependencies, devDependencies } }: Package): readonly string[] {
  return Object.keys({ ...dependencies, ...devDependencies });
}

/** Returns every package after all the packages that it depends on. */
function inBuildOrder(unordered: readonly Package[]): Package[] {
  const byName = new Map(unordered.map((each) => [each.manifest.name, each]));
  const ordered = new Set<Package>();
  const visit = (each: Package, path: readonly string[]): void => {
    const { name } = each.manifest;
    if (path.includes(name)) {
      throw new Error(`Packages depend on each other in a cycle: ${[...path, name].join(' → ')}`);
    }
    for (const dependency of namesBelow(each)) {
      const below = byName.get(dependency);
      if (below !== undefined) visit(below, [...path, name]);
    }
    ordered.add(each);
  };
  for (const each of unordered) visit(each, []);
  return [...ordered];
}

/** Returns the messages of the compiler; empty if there are none. */
async function compile(folder: string): Promise<string> {
  await rm(join(folder, 'dist'), { recursive: true, force: true });
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  try {
    await run(process.execPath, [compiler, '-p', join(folder, 'tsconfig.build.json')]);
    return '';
  } catch (error) {
    return (error as { stdout?: string }).stdout ?? String(error);
  }
}

/**
 * TypeScript rewrites `./x.ts` to `./x.js` in the JavaScript that it writes, but not in
 * declarations.
 */
async function rewriteDeclarations(dist: string): Promise<void> {
  for (const file of await readdir(dist, { recursive: true })) {
    if (!file.endsWith('.d.ts')) continue;
    const text = await readFile(join(dist, file), 'utf8');
    await writeFile(
      join(dist, file),
      text.replaceAll(/((?:from|import\()\s*['"]\.[^'"]+)\.ts(?=['"])/g, '$1.js'),
    );
  }
}

/** Checks a package for publishing, and records success, so that it need not be built again. */
async function lintAndStamp(each: BuiltPackage): Promise<string[]> {
  const problems = await lintForPublishing(each);
  if (problems.length > 0) return problems;
  await mkdir(stamps, { recursive: true });
  await writeFile(each.stamp, each.digest);
  return [];
}

async function lintForPublishing({ folder, manifest }: Package): Promise<string[]> {
  const { messages, pkg } = await publint({ pkgDir: folder, level: 'suggestion', strict: true });
  return messages.map(
    (message) =>
      `${manifest.name}: ${formatMessage(message, pkg, { color: false }) ?? message.code}`,
  );
}
