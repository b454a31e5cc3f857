import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';

/** One file of the console, as a server sends it. */
export interface ConsoleFile {
  readonly contentType: string;
  readonly bytes: Uint8Array;
  /** The same bytes, compressed with Brotli; absent if compression is not worthwhile. */
  readonly brotli?: Uint8Array | undefined;
  /** True if its name changes with its bytes, so that it may be cached forever. */
  readonly isImmutable: boolean;
}

/** The folder of the build: beside `src` in a clone, and beside `dist` in the npm package. */
const siteDirectory = join(import.meta.dirname, '../site');

const contentTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Returns all files of the console by their path; undefined if it is not built. */
export async function readConsoleFiles(
  directory = siteDirectory,
): Promise<ReadonlyMap<string, ConsoleFile> | undefined> {
  const names = await listFiles(directory);
  if (!names.includes('index.html')) return undefined;
  const files = new Map<string, ConsoleFile>();
  for (const name of names) {
    const contentType = contentTypes[extname(name)];
    if (contentType === undefined) continue;
    const brotli = names.includes(`${name}.br`)
      ? await readFile(join(directory, `${name}.br`))
      : undefined;
    const bytes = await readFile(join(directory, name));
    files.set(name, { contentType, bytes, brotli, isImmutable: name.startsWith('assets/') });
  }
  return files;
}

async function listFiles(directory: string): Promise<readonly string[]> {
  try {
    const names = await readdir(directory, { recursive: true });
    return names.map((name) => name.replaceAll('\\', '/'));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}
