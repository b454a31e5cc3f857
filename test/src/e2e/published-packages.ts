import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const root = join(import.meta.dirname, '../../..');

interface Manifest {
  readonly name: string;
  readonly exports: Readonly<Record<string, unknown>>;
  readonly dependencies?: Readonly<Record<string, string>>;
}

/** A folder in which a stranger has installed all our packages: built files only, and no dependency that is not declared. */
export class PublishedPackages implements Disposable {
  readonly folder: string;
  /** Every path that can be imported: `@quire/core`, `@quire/core/testing`, … */
  readonly entries: readonly string[];

  private constructor(folder: string, entries: readonly string[]) {
    this.folder = folder;
    this.entries = entries;
  }

  /** Installs what stands in the folder of the packages, which are built. */
  static async install(packages: string): Promise<PublishedPackages> {
    const folder = await mkdtemp(join(tmpdir(), 'quire-published-'));
    const entries: string[] = [];
    for (const { name } of readdirSync(packages, { withFileTypes: true }).filter((each) => each.isDirectory())) {
      const source = join(packages, name);
      const manifest = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8')) as Manifest;
      const target = join(folder, 'node_modules', manifest.name);
      cpSync(join(source, 'package.json'), join(target, 'package.json'));
      cpSync(join(source, 'dist'), join(target, 'dist'), { recursive: true });
      for (const dependency of Object.keys(manifest.dependencies ?? {})) {
        if (!dependency.startsWith('@quire/')) linkDependency(dependency, source, target);
      }
      entries.push(...Object.keys(manifest.exports).map((path) => join(manifest.name, path)));
    }
    return new PublishedPackages(folder, entries);
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Gives a package the dependency that npm has installed for it here. */
function linkDependency(dependency: string, source: string, target: string): void {
  const installed = [source, root].map((folder) => join(folder, 'node_modules', dependency)).find((path) => existsSync(path));
  if (installed === undefined) throw new Error(`${dependency}, a dependency of ${source}, is not installed: run npm ci.`);
  const link = join(target, 'node_modules', dependency);
  mkdirSync(dirname(link), { recursive: true });
  symlinkSync(installed, link);
}
