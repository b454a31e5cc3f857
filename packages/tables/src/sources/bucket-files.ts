import { isObjectKey, type ObjectStore } from '@quire/core';
import { parseGlob } from './glob.ts';
import type { FoundFiles, SourceFile } from './source-file.ts';
import { SourceProblem } from './source-problem.ts';

/** Most objects that are listed for one pattern. */
const objectsMax = 100_000;

/** A place in a bucket that may be read: `s3://bucket/prefix`. */
export interface AllowedBucket {
  readonly location: string;
  /** Opens the store whose keys begin below the location; it is not closed here. */
  open(): Promise<ObjectStore>;
}

/** Objects that match a URI with wildcards, as long as they lie below one of the allowed locations. */
export async function findBucketFiles(uri: string, buckets: readonly AllowedBucket[], signal: AbortSignal): Promise<FoundFiles> {
  const bucket = buckets.find(({ location }) => uri.startsWith(`${location.replace(/\/+$/, '')}/`));
  const isPlain = !uri.split('/').some((segment) => segment === '..' || segment === '.');
  if (bucket === undefined || !isPlain) {
    const message = `‘${uri.slice(0, 200)}’ is not among the files that previews may read.`;
    return { files: [], problem: { code: 'SOURCE_NOT_ALLOWED', message } };
  }
  const prefix = `${bucket.location.replace(/\/+$/, '')}/`;
  const pattern = uri.slice(prefix.length);
  const glob = parseGlob(pattern);
  if (glob === undefined) return { files: [], problem: { code: 'SOURCE_PATTERN', message: `‘${uri}’ is not a pattern.` } };
  const store = await bucket.open();
  if (!glob.hasWildcard && !isObjectKey(pattern)) return { files: [] };
  const files: SourceFile[] = [];
  let count = 0;
  const listed = glob.hasWildcard && glob.base !== '' ? `${glob.base}/` : glob.hasWildcard ? '' : pattern;
  for await (const { key, sizeBytes } of store.list(listed, { signal })) {
    count += 1;
    if (count > objectsMax) {
      throw new SourceProblem(
        'TOO_MANY_FILES',
        `More than ${objectsMax} objects begin with ${prefix}${listed}; use a more specific pattern.`,
      );
    }
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
