/**
 * Builds the console's files from `app/` into `site/`, if they are missing or older than their
 * sources. `npm start` runs it, so that a fresh clone has a console.
 */
import { createHash } from 'node:crypto';
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import type { Plugin } from 'vite';
import { whileLocked } from './build-lock.ts';

const root = join(import.meta.dirname, '..');
const site = join(root, 'site');
/** The sources of the files: the app, and Quire's packages that are bundled with it. */
const sources = ['app', '../client/src', '../api/src', '../core/src'].map((folder) =>
  join(root, folder),
);
const stampFile = join(site, 'built-from');

/** Builds if necessary; returns true if it did. */
export async function ensureSite(log: (line: string) => void): Promise<boolean> {
  const stamp = await digestOfSources();
  const isBuilt = async (): Promise<boolean> =>
    (await readFile(stampFile, 'utf8').catch(() => '')) === stamp;
  if (await isBuilt()) return false;
  return whileLocked(`${site}.lock`, async () => {
    if (await isBuilt()) return false; // by another process, in between
    const startMs = performance.now();
    log('Building the console…');
    await buildSite(stamp);
    log(`Built the console in ${((performance.now() - startMs) / 1000).toFixed(1)} s.`);
    return true;
  });
}

/**
 * HighTable sets `aria-checked` on row headers, and `aria-orientation` on spin buttons, which ARIA
 * does not define for them. The row itself has its selection. The attributes stay for HighTable's
 * styles, under names that screen readers ignore.
 */
const withoutUnknownAria: Plugin = {
  name: 'without-unknown-aria',
  enforce: 'pre',
  transform: (code, id) =>
    id.includes('/hightable/dist/')
      ? { code: code.replaceAll(/aria-(checked|orientation)/g, 'data-$1'), map: null }
      : undefined,
};

/** Builds into another folder, and moves it into place once it is complete. */
async function buildSite(stamp: string): Promise<void> {
  const { build } = await import('vite');
  const fresh = `${site}.new`;
  await rm(fresh, { recursive: true, force: true });
  await asProduction(() =>
    build({
      configFile: false,
      root: join(root, 'app'),
      base: './',
      logLevel: 'warn',
      plugins: [withoutUnknownAria],
      resolve: { conditions: ['@quire/source', 'browser', 'import', 'default'] },
      build: {
        outDir: fresh,
        emptyOutDir: true,
        target: 'es2023',
        // An inlined file would be an address of the scheme data:, which the page's security policy
        // refuses.
        assetsInlineLimit: 0,
        modulePreload: { polyfill: false },
        reportCompressedSize: false,
        chunkSizeWarningLimit: 1000,
      },
    }),
  );
  for (const name of await readdir(fresh, { recursive: true })) {
    if (!['.js', '.css', '.html', '.svg'].includes(extname(name))) continue;
    const bytes = await readFile(join(fresh, name));
    await writeFile(
      join(fresh, `${name}.br`),
      brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
    );
  }
  await writeFile(join(fresh, 'built-from'), stamp);
  await rm(site, { recursive: true, force: true });
  await rename(fresh, site);
}

/**
 * Runs a production build: under the NODE_ENV of a test, Vite bundles React's build for
 * development.
 */
async function asProduction(build: () => Promise<unknown>): Promise<void> {
  const { NODE_ENV } = process.env;
  process.env['NODE_ENV'] = 'production';
  try {
    await build();
  } finally {
    if (NODE_ENV === undefined) delete process.env['NODE_ENV'];
    else process.env['NODE_ENV'] = NODE_ENV;
  }
}

/** Returns a digest of all sources, and of the versions of the bundled packages. */
async function digestOfSources(): Promise<string> {
  const hash = createHash('sha256');
  const manifest = [join(root, 'package.json'), join(import.meta.dirname, 'build-site.ts')];
  const listed = await Promise.all(
    sources.map(async (folder) =>
      (await readdir(folder, { recursive: true, withFileTypes: true }))
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name)),
    ),
  );
  for (const path of [...manifest, ...listed.flat().toSorted()]) {
    hash.update(`${path.slice(root.length)}\n`).update(await readFile(path));
  }
  return hash.digest('hex');
}

if (import.meta.main) await ensureSite((line) => console.log(line));
