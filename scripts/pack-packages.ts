/**
 * Packs the built packages as npm would publish them, and writes the lock file of a project that
 * installs the tarballs: for tests of the published packages, and for the image.
 */
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const execute = promisify(execFile);
const root = join(import.meta.dirname, '..');

export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly engines: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, unknown>>;
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
export function lockOf(project: object, tarballs: readonly Tarball[]): object {
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
