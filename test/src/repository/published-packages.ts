import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../../..');

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
  /** What is in it, by path. */
  readonly paths: readonly string[];
  readonly integrity: string;
}

interface LockEntry {
  readonly link?: boolean;
}

/**
 * The project of a stranger into which npm has installed all our packages from their tarballs, with
 * nothing that is not declared.
 *
 * Its lock file names the versions that ours does, so that npm takes them from its cache; what
 * nobody depends on npm leaves out.
 */
export class PublishedPackages implements Disposable {
  readonly folder: string;
  readonly tarballs: readonly Tarball[];

  private constructor(folder: string, tarballs: readonly Tarball[]) {
    this.folder = folder;
    this.tarballs = tarballs;
  }

  /** Packs and installs what stands in the folder of the packages, which are built. */
  static async install(packages: string): Promise<PublishedPackages> {
    const folder = await mkdtemp(join(tmpdir(), 'quire-published-'));
    const tarballs = await pack(packages, folder);
    const dependencies = Object.fromEntries(
      tarballs.map(({ manifest, file }) => [manifest.name, `file:${file}`]),
    );
    const project = { name: 'stranger', private: true, type: 'module', dependencies };
    await writeFile(join(folder, 'package.json'), JSON.stringify(project));
    await writeFile(join(folder, 'package-lock.json'), JSON.stringify(lockOf(project, tarballs)));
    await npm(folder, 'install', '--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts');
    return new PublishedPackages(folder, tarballs);
  }

  /** Runs a program in the folder as a stranger would: without our condition in the environment. */
  async run(program: string, ...args: readonly string[]): Promise<string> {
    const env = { PATH: '/usr/bin:/bin', NODE_COMPILE_CACHE: join(this.folder, '.compile-cache') };
    const { stdout } = await run(program, args, { cwd: this.folder, env });
    return stdout;
  }

  /** Every path that can be imported: `@quire/core`, `@quire/core/testing`, … */
  get entries(): readonly string[] {
    return this.tarballs.flatMap(({ manifest }) =>
      Object.keys(manifest.exports).map((path) => join(manifest.name, path)),
    );
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

async function pack(packages: string, folder: string): Promise<readonly Tarball[]> {
  const names = readdirSync(packages, { withFileTypes: true }).filter((each) => each.isDirectory());
  const sources = names.map(({ name }) => join(packages, name));
  const answer = JSON.parse(
    await npm(root, 'pack', '--json', '--ignore-scripts', '--pack-destination', folder, ...sources),
  ) as readonly PackedPackage[] | Readonly<Record<string, PackedPackage>>;
  // npm 11 gives a list, its successors an object by name.
  return Object.values(answer).map((packed: PackedPackage) => ({
    manifest: readManifest(join(packages, packed.name.replace('@quire/', ''))),
    file: packed.filename,
    sizeBytes: packed.size,
    paths: packed.files.map(({ path }) => path),
    integrity: packed.integrity,
  }));
}

interface PackedPackage {
  readonly name: string;
  readonly filename: string;
  readonly size: number;
  readonly integrity: string;
  readonly files: readonly { readonly path: string }[];
}

function lockOf(project: object, tarballs: readonly Tarball[]): object {
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
  // Versions of its own that a package has in its folder here lie in its folder there.
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

/** Ours are dependencies of development only; there they are not. */
function withoutDev(entry: object): object {
  return Object.fromEntries(Object.entries(entry).filter(([key]) => key !== 'dev'));
}

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
}

async function npm(cwd: string, ...args: readonly string[]): Promise<string> {
  const { stdout } = await run('npm', args, { cwd, maxBuffer: 64 * 1024 * 1024 });
  return stdout;
}
