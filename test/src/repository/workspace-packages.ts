import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSourceFile, type SourceFile } from './source-file.ts';

/** One package as the rules check it: its manifest and its sources. */
export interface WorkspacePackage {
  /** Name of its folder, which is its npm name without the scope. */
  readonly name: string;
  readonly manifest: Manifest;
  /** The peer dependencies that it declares on behalf of its dependencies. */
  readonly peers: ReadonlySet<string>;
  readonly files: readonly SourceFile[];
}

export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly license?: string;
  readonly keywords?: readonly string[];
  readonly sideEffects?: unknown;
  readonly engines?: Readonly<Record<string, string>>;
  readonly files?: readonly string[];
  readonly publishConfig?: unknown;
}

export const scope = '@quire/';

/** Reads every package of the repository whose root is given. */
export function readPackages(root: string): WorkspacePackage[] {
  return readdirSync(join(root, 'packages'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => {
      const folder = join(root, 'packages', name);
      const manifest = readManifest(folder);
      const files = readdirSync(join(folder, 'src'), { recursive: true, encoding: 'utf8' })
        .filter((path) => path.endsWith('.ts'))
        .map((path) =>
          parseSourceFile(
            `packages/${name}/src/${path}`,
            readFileSync(join(folder, 'src', path), 'utf8'),
          ),
        );
      return { name, manifest, peers: readPeers(manifest, [folder, root]), files };
    });
}

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
}

/** The peers of a package's dependencies, which npm has installed in one of the folders. */
function readPeers(
  { dependencies, devDependencies }: Manifest,
  folders: readonly string[],
): Set<string> {
  const installed = Object.keys({ ...dependencies, ...devDependencies }).flatMap((name) => {
    const found = folders
      .map((folder) => join(folder, 'node_modules', name))
      .find((path) => existsSync(path));
    return found === undefined ? [] : [readManifest(found)];
  });
  return new Set(installed.flatMap(({ peerDependencies = {} }) => Object.keys(peerDependencies)));
}
