/**
 * Writes the files of an image of Quire other than Node and the C library: the command with its
 * dependencies as npm installs them, a software bill of materials, the settings of the quickstart
 * and the directories that are written to.
 *
 *     node deploy/image/image-files.ts FOLDER    after npm ci && npm run build
 */
import { cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isLegalFile, readBundledPackages } from '../../scripts/bundle-command.ts';
import { installTarballs, npm, packPackages, readManifest } from '../../scripts/pack-packages.ts';

const root = join(import.meta.dirname, '../..');
const scope = '@quire/';
/** The sources of the quickstart's sample tables; its flights of 2001 are too large. */
const samples = ['airports.csv', 'cars.json', 'movies.json', 'seattle-weather.csv', 'stocks.csv'];

if (import.meta.main) {
  const [folder] = process.argv.slice(2);
  if (folder === undefined) {
    console.error(
      'error: expected the folder to write to: node deploy/image/image-files.ts FOLDER',
    );
    process.exitCode = 1;
  } else await writeImageFiles(folder);
}

/** Fills a folder with `opt`, `etc` and `var`, as they are in the root directory of the image. */
export async function writeImageFiles(folder: string): Promise<void> {
  const app = join(folder, 'opt/quire');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(app, { recursive: true });
  await installCommand(app);
  for (const each of ['var/lib/quire', 'var/tmp/quire', 'etc/quire/samples']) {
    mkdirSync(join(folder, each), { recursive: true });
  }
  cpSync(
    join(root, 'deploy/image/quickstart.properties'),
    join(folder, 'etc/quire/quire.properties'),
  );
  for (const name of samples) {
    const from = join(root, 'node_modules/vega-datasets/data', name);
    cpSync(from, join(folder, 'etc/quire/samples', name));
  }
}

/** Installs `@quire/cli` from tarballs, in the versions of the lock file of the repository. */
async function installCommand(app: string): Promise<void> {
  const packed = await mkdtemp(join(tmpdir(), 'quire-image-'));
  try {
    const wanted = workspaceClosureOf('cli');
    const tarballs = await packPackages(join(root, 'packages'), packed, (name) => wanted.has(name));
    const dependencies = Object.fromEntries(
      tarballs.map(({ manifest, file }) => [manifest.name, `file:${join(packed, file)}`]),
    );
    const { version } = readManifest(join(root, 'packages/cli'));
    const project = { name: 'quire-image', version, private: true, dependencies };
    const located = tarballs.map((each) => ({ ...each, file: join(packed, each.file) }));
    // npm verifies the digests of everything that is published.
    await installTarballs(app, project, located, {
      linksModules: false,
      args: ['--omit=dev', '--loglevel=error'],
    });
    writeFileSync(join(app, 'sbom.cdx.json'), JSON.stringify(await billOfMaterials(app), null, 2));
    rmSync(join(app, 'package-lock.json'));
    prune(join(app, 'node_modules'));
  } finally {
    await rm(packed, { recursive: true, force: true });
  }
}

/**
 * Returns the software bill of materials, a CycloneDX document: the packages that npm has
 * installed, and those in the bundle of the command, which npm cannot see.
 */
async function billOfMaterials(app: string): Promise<object> {
  const installed = JSON.parse(await npm(app, 'sbom', '--omit=dev', '--sbom-format=cyclonedx')) as {
    readonly components: readonly object[];
  };
  const bundled = readBundledPackages(join(root, 'packages/cli')).map((each) => {
    const { name, version, license } = each;
    return {
      'bom-ref': `@quire/cli|${name}@${version}`,
      type: 'library',
      name,
      version,
      scope: 'required',
      purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
      licenses: [{ expression: license }],
    };
  });
  return { ...installed, components: [...installed.components, ...bundled] };
}

/** Returns the workspace packages that a package needs, including itself. */
function workspaceClosureOf(name: string): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (each: string): void => {
    if (found.has(each)) return;
    found.add(each);
    const { dependencies = {} } = readManifest(join(root, 'packages', each));
    for (const dependency of Object.keys(dependencies)) {
      if (dependency.startsWith(scope)) visit(dependency.slice(scope.length));
    }
  };
  visit(name);
  return found;
}

/**
 * Removes files that only compilers and people read: type declarations, source maps, sources,
 * documents.
 */
function prune(modules: string): void {
  for (const entry of readdirSync(modules, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile() && isForDevelopment(entry.name)) rmSync(path, { force: true });
  }
  const scopeDir = join(modules, scope);
  for (const name of readdirSync(scopeDir)) {
    rmSync(join(scopeDir, name, 'src'), { recursive: true, force: true });
  }
  rmSync(join(modules, '@types'), { recursive: true, force: true });
}

function isForDevelopment(name: string): boolean {
  if (isLegalFile(name)) return false;
  return /\.(map|md|markdown|tsbuildinfo|d\.[cm]?ts|[cm]?tsx?)$/i.test(name);
}
