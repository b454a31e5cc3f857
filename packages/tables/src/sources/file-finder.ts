import { constants, type Dirent } from 'node:fs';
import { open, opendir, realpath, stat } from 'node:fs/promises';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import { isObjectKey, type ObjectStore, throwIfAborted } from '@quire/core';
import { pathOfFileUrl } from '@quire/core/process';
import { type Glob, parseGlob } from './glob.ts';
import {
  type FileFinder,
  type FileRange,
  type FoundFiles,
  type SourceFile,
  SourceProblem,
} from './source-file.ts';

/** The sources that may be read. */
export interface AllowedSources {
  /**
   * Absolute paths of directories, or of single files. Relative patterns start from each of them.
   */
  readonly paths: readonly string[];
  /** The URI schemes of all kinds of buckets; by default those of the allowed buckets. */
  readonly schemes?: readonly string[];
  readonly buckets?: readonly AllowedBucket[];
}

/**
 * Creates a finder of files by paths, `file:` URIs and URIs of buckets, each with wildcards, within
 * the allowed sources only.
 */
export function createFileFinder({
  paths,
  buckets = [],
  schemes = buckets.map(({ location }) => location.slice(0, location.indexOf(':'))),
}: AllowedSources): FileFinder {
  const uris = ['file', ...schemes].map((scheme) => `${scheme}:`);
  return {
    async find(pattern, signal): Promise<FoundFiles> {
      const scheme = /^([a-z][a-z0-9+.-]+):/i.exec(pattern)?.[1]?.toLowerCase();
      if (scheme === undefined) return findLocalFiles(pattern, paths, signal);
      if (schemes.includes(scheme)) return findBucketFiles(pattern, buckets, signal);
      const quoted = `‘${pattern.slice(0, 200)}’`;
      if (!/^file:/i.test(pattern)) {
        return noPattern(
          `${quoted} is neither a path nor a URI that starts with ${uris.join(' or ')}.`,
        );
      }
      const path = pathOf(pattern);
      if (path !== undefined) return findLocalFiles(path, paths, signal);
      return noPattern(
        `${quoted} names no file of this machine; expected file:/// and a path, without %2F or %00, whose escapes are UTF-8.`,
      );
    },
  };
}

/**
 * Returns the path of a `file:` URI, with its wildcards. Undefined if it is not a file of this
 * machine.
 */
function pathOf(uri: string): string | undefined {
  // `?` is a wildcard here, not the start of a query.
  const text = uri.replaceAll('?', '%3F').replaceAll('#', '%23');
  return URL.canParse(text) ? pathOfFileUrl(new URL(text)) : undefined;
}

/** The maximum number of objects that are listed for one pattern. */
const objectsMax = 100_000;

/** A location in a bucket that may be read. */
export interface AllowedBucket {
  readonly location: string;
  /** Opens the store whose keys are relative to the location; it is not closed here. */
  open(): Promise<ObjectStore>;
}

/** Finds objects that match a URI with wildcards, within the allowed locations. */
async function findBucketFiles(
  uri: string,
  buckets: readonly AllowedBucket[],
  signal: AbortSignal,
): Promise<FoundFiles> {
  const bucket = buckets.find(({ location }) => uri.startsWith(`${location.replace(/\/+$/, '')}/`));
  const isPlain = !uri.split('/').some((segment) => segment === '..' || segment === '.');
  if (bucket === undefined || !isPlain) return refused(uri);
  const prefix = `${bucket.location.replace(/\/+$/, '')}/`;
  const pattern = uri.slice(prefix.length);
  const glob = parseGlob(pattern);
  if (glob === undefined) {
    return noPattern(
      `‘${uri}’ is not a valid pattern; expected a path or a glob such as data/*.csv.`,
    );
  }
  const store = await bucket.open();
  if (!glob.hasWildcard && !isObjectKey(pattern)) return { files: [] };
  const files: SourceFile[] = [];
  let count = 0;
  const listed =
    glob.hasWildcard && glob.base !== '' ? `${glob.base}/` : glob.hasWildcard ? '' : pattern;
  for await (const { key, sizeBytes } of store.list(listed, { signal })) {
    count += 1;
    if (count > objectsMax) throw tooMany(`${objectsMax} objects start with ${prefix}${listed}`);
    if (glob.matches(key)) files.push(objectFile(store, key, prefix + key, sizeBytes));
  }
  return { files };
}

function objectFile(store: ObjectStore, key: string, uri: string, sizeBytes: number): SourceFile {
  return {
    uri,
    sizeBytes,
    async *read({ range, signal }) {
      if (sizeBytes === 0 || (range !== undefined && range.start >= range.end)) return;
      await using object = await store.get(key, { range, signal });
      yield* object.body;
    },
  };
}

/**
 * Finds one file of this machine, whatever the pattern: a file that the caller sent, which has the
 * caller's name for it in findings and responses.
 */
export function createUploadFinder(upload: {
  readonly path: string;
  readonly name: string;
}): FileFinder {
  return {
    async find(): Promise<FoundFiles> {
      const { size: sizeBytes } = await stat(upload.path);
      const { path, name: uri } = upload;
      const read: SourceFile['read'] = ({ range, signal }) => readLocal(path, uri, range, signal);
      return { files: [{ uri, sizeBytes, read }] };
    },
  };
}

/** The maximum number of directory entries that are read for one pattern. */
const entriesMax = 100_000;
const chunkBytes = 64 * 1024;

/**
 * Finds files of this machine that match a pattern, within the roots. The real path decides, after
 * all links and `..`. Nothing is revealed about files outside, not even their existence. Links to
 * directories are not followed.
 */
async function findLocalFiles(
  pattern: string,
  roots: readonly string[],
  signal: AbortSignal,
): Promise<FoundFiles> {
  if (pattern.includes('\0')) return refused(pattern);
  const candidates = isAbsolute(pattern)
    ? [resolve(pattern)]
    : roots.map((root) => join(root, pattern));
  const inside = candidates.filter((path) => roots.some((root) => isBelow(path, root)));
  if (inside.length === 0) return refused(pattern);
  const realRoots = (await Promise.all(roots.map(realPathOf))).filter((root) => root !== undefined);
  const found = new Map<string, SourceFile>();
  for (const path of inside) {
    const glob = parseGlob(path);
    if (glob === undefined) {
      return noPattern(
        `‘${pattern}’ is not a valid pattern; expected a path or a glob such as data/*.csv.`,
      );
    }
    for (const file of await findByGlob(path, glob, realRoots, signal)) found.set(file.uri, file);
  }
  return { files: [...found.values()].toSorted((left, right) => (left.uri < right.uri ? -1 : 1)) };
}

function noPattern(message: string): FoundFiles {
  return { files: [], problem: { code: 'SOURCE_PATTERN', message } };
}

function tooMany(found: string): SourceProblem {
  return new SourceProblem('TOO_MANY_FILES', `More than ${found}; use a more specific pattern.`);
}

function refused(pattern: string): FoundFiles {
  const message = `‘${pattern.slice(0, 200)}’ is not among the files that the settings allow.`;
  return { files: [], problem: { code: 'SOURCE_NOT_ALLOWED', message } };
}

async function findByGlob(
  path: string,
  glob: Glob,
  realRoots: readonly string[],
  signal: AbortSignal,
): Promise<SourceFile[]> {
  if (!glob.hasWildcard) return fileAt(path, realRoots);
  const base = await realPathOf(glob.base === '' ? sep : glob.base);
  if (base === undefined || !isBelowAny(base, realRoots)) return [];
  const files: SourceFile[] = [];
  let entryCount = 0;
  const pending = [glob.base];
  for (let directory = pending.pop(); directory !== undefined; directory = pending.pop()) {
    for await (const entry of entriesOf(directory)) {
      throwIfAborted(signal);
      entryCount += 1;
      if (entryCount > entriesMax) throw tooMany(`${entriesMax} files are below ${glob.base}`);
      const entryPath = join(directory, entry.name);
      if (entry.isDirectory()) pending.push(entryPath);
      else if (glob.matches(entryPath)) files.push(...(await fileAt(entryPath, realRoots)));
    }
  }
  return files;
}

async function* entriesOf(directory: string): AsyncGenerator<Dirent> {
  try {
    yield* await opendir(directory);
  } catch (error) {
    if (!isFileError(error)) throw error;
  }
}

/** Returns the file at a path if it is a regular file within the roots. */
async function fileAt(path: string, realRoots: readonly string[]): Promise<SourceFile[]> {
  const real = await realPathOf(path);
  if (real === undefined || !isBelowAny(real, realRoots)) return [];
  const status = await stat(real);
  if (!status.isFile()) return [];
  return [
    {
      uri: path,
      sizeBytes: status.size,
      read: ({ range, signal }) => readLocal(real, path, range, signal),
    },
  ];
}

async function* readLocal(
  real: string,
  uri: string,
  range: FileRange | undefined,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  throwIfAborted(signal);
  // The path has no links. A link that is created in the meantime is not followed, and opening a
  // pipe does not block.
  const file = await open(
    real,
    constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK,
  ).catch((error: unknown) => {
    if (!isFileError(error)) throw error;
    throw new SourceProblem('FILE_UNREADABLE', `${uri} cannot be read: ${error.code}.`, {
      cause: error,
    });
  });
  try {
    if (!(await file.stat()).isFile()) {
      throw new SourceProblem('FILE_UNREADABLE', `${uri} is not a plain file any more.`);
    }
    let position = range?.start ?? 0;
    const end = range?.end ?? Number.POSITIVE_INFINITY;
    while (position < end) {
      throwIfAborted(signal);
      const { bytesRead, buffer } = await file.read(
        Buffer.allocUnsafe(Math.min(chunkBytes, end - position)),
        { position },
      );
      if (bytesRead === 0) return;
      position += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}

async function realPathOf(path: string): Promise<string | undefined> {
  try {
    return await realpath(path);
  } catch (error) {
    if (!isFileError(error)) throw error;
    return undefined;
  }
}

function isBelowAny(path: string, roots: readonly string[]): boolean {
  return roots.some((root) => isBelow(path, root));
}

/** Reports whether a path is a root itself, which may be a single file, or is below it. */
function isBelow(path: string, root: string): boolean {
  const relativePath = relative(root, path);
  return (
    relativePath === '' ||
    (relativePath !== '..' && !relativePath.startsWith(`..${sep}`) && !isAbsolute(relativePath))
  );
}

function isFileError(error: unknown): error is Error & { readonly code: string } {
  return error instanceof Error && 'syscall' in error && 'code' in error;
}
