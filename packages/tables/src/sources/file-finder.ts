import { fileURLToPath } from 'node:url';
import { type AllowedBucket, findBucketFiles } from './bucket-files.ts';
import { findLocalFiles } from './local-files.ts';
import type { FileFinder, FoundFiles } from './source-file.ts';

/** What may be read. */
export interface AllowedSources {
  /** Absolute paths of directories, or of single files. Relative patterns start from each of them. */
  readonly paths: readonly string[];
  readonly buckets?: readonly AllowedBucket[];
}

/** Finds files by paths, `file:`, `s3:` and `gs:` URIs, each with wildcards, below what is allowed and nowhere else. */
export function createFileFinder({ paths, buckets = [] }: AllowedSources): FileFinder {
  return {
    async find(pattern, signal): Promise<FoundFiles> {
      const scheme = /^([a-z][a-z0-9+.-]+):/i.exec(pattern)?.[1]?.toLowerCase();
      if (scheme === undefined) return findLocalFiles(pattern, paths, signal);
      if (scheme === 's3' || scheme === 'gs') return findBucketFiles(pattern, buckets, signal);
      const path = scheme === 'file' ? pathOf(pattern) : undefined;
      if (path !== undefined) return findLocalFiles(path, paths, signal);
      const message = `‘${pattern.slice(0, 200)}’ is neither a path nor a file:, s3: or gs: URI.`;
      return { files: [], problem: { code: 'SOURCE_PATTERN', message } };
    },
  };
}

/** The path of a `file:` URI; wildcards in it stay. Undefined when it names no file of this machine. */
function pathOf(uri: string): string | undefined {
  // `?` is a wildcard here, not the start of a query.
  const text = uri.replaceAll('?', '%3F').replaceAll('#', '%23');
  const parsed = URL.canParse(text) ? new URL(text) : undefined;
  if (parsed === undefined || parsed.host !== '' || /%(?:2f|00)/i.test(parsed.pathname)) return undefined;
  return isDecodable(parsed.pathname) ? fileURLToPath(parsed) : undefined;
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
    return false;
  }
}
