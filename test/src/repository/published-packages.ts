import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { installTarballs, packPackages, type Tarball } from '../../../scripts/pack-packages.ts';
import { compileCacheOf } from '../testkit/cli-process.ts';

const run = promisify(execFile);

/**
 * An empty project into which npm has installed all our packages from their tarballs, with nothing
 * that is not declared.
 *
 * Its lock file names the versions that ours does, so that npm takes them from its cache; npm omits
 * packages on which none depends.
 */
export class PublishedPackages implements Disposable {
  readonly folder: string;
  readonly tarballs: readonly Tarball[];

  private constructor(folder: string, tarballs: readonly Tarball[]) {
    this.folder = folder;
    this.tarballs = tarballs;
  }

  /** Packs and installs the built packages. */
  static async install(packages: string): Promise<PublishedPackages> {
    const folder = await mkdtemp(join(tmpdir(), 'quire-published-'));
    const tarballs = await packPackages(packages, folder);
    const dependencies = Object.fromEntries(
      tarballs.map(({ manifest, file }) => [manifest.name, `file:${file}`]),
    );
    const project = { name: 'stranger', private: true, type: 'module', dependencies };
    await installTarballs(folder, project, tarballs, { linksModules: true });
    return new PublishedPackages(folder, tarballs);
  }

  /** Runs a program in the folder as a stranger would: without our condition in the environment. */
  async run(program: string, ...args: readonly string[]): Promise<string> {
    const env = { PATH: '/usr/bin:/bin', NODE_COMPILE_CACHE: compileCacheOf(this.folder) };
    const { stdout } = await run(program, args, { cwd: this.folder, env });
    return stdout;
  }

  /** Every path that can be imported: `@quire/core`, `@quire/core/testing`, … */
  get entries(): readonly string[] {
    return this.tarballs.flatMap(({ manifest }) =>
      Object.keys(manifest.exports ?? {}).map((path) => join(manifest.name, path)),
    );
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
