/**
 * Bundles the command: all modules of its package, of the packages below it and of their
 * dependencies in few files, which start in half of the processor time. A user installs what is in
 * the manifest's `dependencies` beside it: native code, and files that are not modules.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type OutputChunk, rolldown } from 'rolldown';
import { readManifest } from './pack-packages.ts';

/** A third-party package that is in the bundle. */
export interface BundledPackage {
  readonly name: string;
  readonly version: string;
  /** Its SPDX expression. */
  readonly license: string;
}

/** A list of the third-party packages in the bundle, for bills of materials. */
const listFile = 'packages.json';
/** Their licenses, which have to accompany their code. */
const licensesFile = 'LICENSES.txt';

/** Modules of processes and threads, which other modules find by their names (`moduleBeside`). */
const entries = [
  'cli/dist/main.js',
  'results/dist/threads/page-worker.js',
  'server/dist/queries/query-kind.js',
  'server/dist/tables/preview-kind.js',
  'server/dist/tables/stream-kind.js',
  'server/dist/tables/task-kind.js',
  'server/dist/workers/watchdog-thread.js',
  'server/dist/workers/worker-main.js',
  'store-file/dist/bulk-worker.js',
];

/**
 * Writes `bundle` of the command's package from the built packages.
 *
 * @throws Error when a module of the bundle does not resolve, or a package has no license
 */
export async function bundleCommand(packages: string): Promise<void> {
  const folder = join(packages, 'cli/bundle');
  const { dependencies = {} } = readManifest(join(packages, 'cli'));
  await using bundle = await rolldown({
    input: Object.fromEntries(entries.map((path) => [basename(path, '.js'), join(packages, path)])),
    platform: 'node',
    external: Object.keys(dependencies),
    // The modules of workers are imported by name at run time too.
    preserveEntrySignatures: 'allow-extension',
    onLog: (level, { code, message }) => {
      // Only third-party code that is never called here evaluates texts.
      if (level === 'warn' && code !== 'EVAL') throw new Error(message);
    },
  });
  const { output } = await bundle.write({
    dir: folder,
    cleanDir: true,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
    comments: false,
  });
  const chunks = output.filter((each) => each.type === 'chunk');
  const bundled = packagesIn(chunks);
  const list = bundled.map(({ manifest: { name, version, license = '' } }): BundledPackage => ({
    name,
    version,
    license,
  }));
  writeFileSync(join(folder, listFile), `${JSON.stringify(list, null, 2)}\n`);
  writeFileSync(join(folder, licensesFile), bundled.map(licenseOf).join('\n'));
}

/** Returns the third-party packages in the bundle of the command, as it was built. */
export function readBundledPackages(commandFolder: string): readonly BundledPackage[] {
  return JSON.parse(
    readFileSync(join(commandFolder, 'bundle', listFile), 'utf8'),
  ) as readonly BundledPackage[];
}

/** Returns the third-party packages whose modules are in the chunks, by name. */
function packagesIn(chunks: readonly OutputChunk[]) {
  const folders = new Set(
    chunks.flatMap(({ moduleIds }) =>
      moduleIds.flatMap(
        (id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.slice(0, 1) ?? [],
      ),
    ),
  );
  return [...folders]
    .map((folder) => ({ folder, manifest: readManifest(folder) }))
    .toSorted((one, other) => (one.manifest.name < other.manifest.name ? -1 : 1));
}

function licenseOf({ folder, manifest }: ReturnType<typeof packagesIn>[number]): string {
  const { name, version, license } = manifest;
  const files = readdirSync(folder).filter(isLegalFile);
  if (license === undefined && files.length === 0) {
    throw new Error(`${name} is in the bundle, but has no license.`);
  }
  const texts =
    files.length === 0
      ? ['It is published without the text of its license.']
      : files.map((file) => readFileSync(join(folder, file), 'utf8').trim());
  const line = '-'.repeat(80);
  return `${line}\n${[`${name} ${version} (${license})`, ...texts].join('\n\n')}\n`;
}

/** Reports whether a file of a package is its license or a notice, which have to stay with it. */
export function isLegalFile(name: string): boolean {
  return /^(licen[cs]e|notice|copying)/i.test(name);
}
