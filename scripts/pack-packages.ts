/**
 * Packs the built packages as npm would publish them, and writes the lock file of a project that
 * installs the tarballs: for tests of the published packages, and for the image.
 */
import { execFile } from 'node:child_process';
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const execute = promisify(execFile);
const root = join(import.meta.dirname, '..');
const modules = join(root, 'node_modules');

export interface Manifest {
  readonly name: string;
  readonly version: string;
  /** An SPDX expression. */
  readonly license?: string;
  readonly engines: Readonly<Record<string, string>>;
  /** Absent in a package that cannot be imported. */
  readonly exports?: Readonly<Record<string, unknown>>;
  readonly dependencies?: Readonly<Record<string, string>>;
}

/** A package as npm would publish it. */
export interface Tarball {
  readonly manifest: Manifest;
  /** Its file in the folder. */
  readonly file: string;
  readonly sizeBytes: number;
  /** Its files, by path. */
  readonly paths: readonly string[];
  readonly integrity: string;
}

interface PackedPackage {
  readonly name: string;
  readonly filename: string;
  readonly size: number;
  readonly integrity: string;
  readonly files: readonly { readonly path: string }[];
}

interface LockEntry {
  readonly link?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** A lock file of npm: its packages by their folders in the project. */
export interface Lock {
  readonly name: string;
  readonly lockfileVersion: number;
  readonly requires: boolean;
  readonly packages: Readonly<Record<string, LockEntry>>;
}

/** Packs every package of a folder whose name is among those given, or all, into a folder. */
export async function packPackages(
  packages: string,
  folder: string,
  isWanted: (name: string) => boolean = () => true,
): Promise<readonly Tarball[]> {
  const sources = readdirSync(packages, { withFileTypes: true })
    .filter((each) => each.isDirectory() && isWanted(each.name))
    .map(({ name }) => join(packages, name));
  const answer = JSON.parse(
    await npm(root, 'pack', '--json', '--ignore-scripts', '--pack-destination', folder, ...sources),
  ) as readonly PackedPackage[] | Readonly<Record<string, PackedPackage>>;
  // npm 11 returns a list; later versions return an object by name.
  return Object.values(answer).map((packed: PackedPackage) => ({
    manifest: readManifest(join(packages, packed.name.replace('@quire/', ''))),
    file: packed.filename,
    sizeBytes: packed.size,
    paths: packed.files.map(({ path }) => path),
    integrity: packed.integrity,
  }));
}

/**
 * Returns the lock file of a project with these tarballs. It names the versions of the lock file of
 * the repository; npm omits packages that none depends on.
 */
export function lockOf(project: object, tarballs: readonly Tarball[]): Lock {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, LockEntry>;
  };
  const entries = Object.entries(lock.packages);
  const foreign = entries.filter(
    ([path, { link }]) => path.startsWith('node_modules/') && link !== true,
  );
  const own = tarballs.map(({ manifest, file, integrity }): [string, object] => [
    `node_modules/${manifest.name}`,
    { ...manifest, resolved: `file:${file}`, integrity },
  ]);
  // A package's own versions of its dependencies are in its folder in both.
  const nested = entries.flatMap(([path, entry]): [string, object][] => {
    const [, name, rest] = /^packages\/([^/]+)(\/node_modules\/.*)$/.exec(path) ?? [];
    return name === undefined ? [] : [[`node_modules/@quire/${name}${rest}`, entry]];
  });
  const all: readonly (readonly [string, object])[] = [
    ['', project],
    ...foreign,
    ...own,
    ...nested,
  ];
  const packages = Object.fromEntries(all.map(([path, entry]) => [path, withoutDev(entry)]));
  return { name: 'stranger', lockfileVersion: 3, requires: true, packages };
}

/**
 * Installs the tarballs of a project with npm. With `linksModules`, the modules of others that they
 * need are hard links to those of the repository, which its lock file names as well: to unpack them
 * again takes npm three times as long. npm still decides which of them belong to the project, and
 * fetches what is missing, but verifies no digests of what is linked.
 */
export async function installTarballs(
  folder: string,
  project: object,
  tarballs: readonly Tarball[],
  {
    linksModules,
    args = [],
  }: { readonly linksModules: boolean; readonly args?: readonly string[] },
): Promise<void> {
  const lock = lockOf(project, tarballs);
  writeFileSync(join(folder, 'package.json'), JSON.stringify(project));
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(lock));
  // Links do not cross file systems: there npm unpacks everything.
  const canLink = statSync(folder).dev === statSync(modules).dev;
  if (linksModules && canLink) linkModules(folder, lock, tarballs);
  await npm(
    folder,
    'install',
    '--prefer-offline',
    '--no-audit',
    '--no-fund',
    '--ignore-scripts',
    ...args,
  );
}

/** Links the modules of others that tarballs need into the project that will have them. */
function linkModules(folder: string, lock: Lock, tarballs: readonly Tarball[]): void {
  const own = tarballs.map(({ manifest }) => `node_modules/${manifest.name}`);
  const paths = [...new Set(own.flatMap((path) => [...closureOf(path, lock.packages)]))].filter(
    (path) => !path.startsWith('node_modules/@quire/') && existsSync(join(root, path)),
  );
  for (const path of paths) linkFolder(join(root, path), join(folder, path));
  const packages = Object.fromEntries(paths.map((path) => [path, lock.packages[path]]));
  // npm takes the list of installed packages from here if it is newer than their folders.
  mkdirSync(join(folder, 'node_modules'), { recursive: true });
  writeFileSync(
    join(folder, 'node_modules/.package-lock.json'),
    JSON.stringify({ ...lock, packages }),
  );
}

/** Links the files of a folder, without the packages that are installed inside it. */
function linkFolder(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    if (entry.name === 'node_modules') continue;
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) linkFolder(source, target);
    else linkSync(source, target);
  }
}

/**
 * Returns the folders of a package and of all that it depends on, as Node finds them from where
 * they are installed.
 */
export function closureOf(
  start: string,
  installed: Readonly<Record<string, LockEntry>>,
): ReadonlySet<string> {
  const paths = new Set<string>();
  const visit = (path: string): void => {
    if (paths.has(path)) return;
    paths.add(path);
    const { dependencies, optionalDependencies } = installed[path] ?? {};
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const found = placesOf(name, path).find((place) => place in installed);
      // Optional ones may be for another platform.
      if (found !== undefined) visit(found);
    }
  };
  visit(start);
  return paths;
}

/** Returns the folders in which Node looks for a package from within another one, nearest first. */
function placesOf(name: string, path: string): readonly string[] {
  const parents = path
    .split('/node_modules/')
    .map((_, index, parts) => parts.slice(0, parts.length - index).join('/node_modules/'));
  return [...parents.map((parent) => `${parent}/node_modules/${name}`), `node_modules/${name}`];
}

/** Runs npm in a folder and returns what it wrote. */
export async function npm(cwd: string, ...args: readonly string[]): Promise<string> {
  const { stdout } = await execute('npm', args, { cwd, maxBuffer: 64 * 1024 * 1024 });
  return stdout;
}

/** In the repository the packages are development dependencies; in the project they are not. */
function withoutDev(entry: object): object {
  return Object.fromEntries(Object.entries(entry).filter(([key]) => key !== 'dev'));
}

export function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
}
