/**
 * Builds the console's files from `app/` into `site/`, when they are missing or older than what they are made of. `npm start` runs it, so that a
 * fresh clone has a console.
 */
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import type { Plugin } from 'vite';

const root = join(import.meta.dirname, '..');
const site = join(root, 'site');
/** What the files are made of: the app, and Quire's packages that are bundled with it. */
const sources = ['app', '../client/src', '../api/src', '../core/src'].map((folder) => join(root, folder));
const stampFile = join(site, 'built-from');

/** Builds when it must; tells whether it did. */
export async function ensureSite(log: (line: string) => void): Promise<boolean> {
  const stamp = await digestOfSources();
  if ((await readFile(stampFile, 'utf8').catch(() => '')) === stamp) return false;
  const startMs = performance.now();
  log('Building the console…');
  await buildSite();
  await writeFile(stampFile, stamp);
  log(`Built the console in ${((performance.now() - startMs) / 1000).toFixed(1)} s.`);
  return true;
}

/**
 * HighTable says of the head of a row that it is checked, and of a spin button how it lies, neither of which ARIA knows. That a row is selected
 * stands on the row itself. The attributes stay for its styles, under names that say nothing to screen readers.
 */
const withoutUnknownAria: Plugin = {
  name: 'without-unknown-aria',
  enforce: 'pre',
  transform: (code, id) =>
    id.includes('/hightable/dist/') ? { code: code.replaceAll(/aria-(checked|orientation)/g, 'data-$1'), map: null } : undefined,
};

async function buildSite(): Promise<void> {
  const { build } = await import('vite');
  await rm(site, { recursive: true, force: true });
  await mkdir(site, { recursive: true });
  await build({
    configFile: false,
    root: join(root, 'app'),
    base: './',
    logLevel: 'warn',
    plugins: [withoutUnknownAria],
    resolve: { conditions: ['@quire/source', 'browser', 'import', 'default'] },
    build: {
      outDir: site,
      emptyOutDir: true,
      target: 'es2023',
      // An inlined file would be an address of the scheme data:, which the page's security policy refuses.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      chunkSizeWarningLimit: 1000,
    },
  });
  for (const name of await readdir(site, { recursive: true })) {
    if (!['.js', '.css', '.html', '.svg'].includes(extname(name))) continue;
    const bytes = await readFile(join(site, name));
    await writeFile(join(site, `${name}.br`), brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }));
  }
}

/** A digest of every source, and of the versions of what is bundled with them. */
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
