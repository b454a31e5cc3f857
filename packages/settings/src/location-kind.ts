import { fileOrUri, type SettingKind } from '@quire/core/settings';

/** Where results are kept: a directory of this machine, or a place in a bucket. */
export type StoreLocation =
  | { readonly scheme: 'file'; readonly path: string }
  | { readonly scheme: 's3' | 'gs'; readonly uri: string }
  /** A place that only a plug-in knows. */
  | { readonly scheme: 'plugin'; readonly name: string; readonly uri: string };

const bucketNames = '3 or more of a-z, 0-9, ., _ and -, the first one a letter or a digit';

/** A directory as a path or a `file:` URI, or a bucket as an `s3://` or `gs://` URI. */
export const location: SettingKind<StoreLocation> = {
  allowed: `a directory (a path or a file: URI) or a bucket (s3://bucket/prefix or gs://bucket/prefix) whose name has ${bucketNames}`,
  parse: (value, baseDir) => {
    if (bucketPatterns.s3.test(value)) return { scheme: 's3', uri: value };
    if (bucketPatterns.gs.test(value)) return { scheme: 'gs', uri: value };
    const plugin = pluginPattern.exec(value)?.[1];
    if (plugin !== undefined && !['file', 's3', 'gs'].includes(plugin)) {
      return { scheme: 'plugin', name: plugin, uri: value };
    }
    const local = fileOrUri.parse(value, baseDir);
    return local === undefined ? undefined : { scheme: 'file', path: local };
  },
  format: (value) => (value.scheme === 'file' ? value.path : value.uri),
};

/** A bucket, with or without a prefix. */
export function bucket(scheme: 's3' | 'gs'): SettingKind<string> {
  return {
    allowed: `a bucket, such as ${scheme}://bucket/prefix, whose name has ${bucketNames}`,
    parse: (value) => (bucketPatterns[scheme].test(value) ? value : undefined),
    format: (value) => value,
  };
}

const pluginPattern = /^([a-z][a-z0-9]{1,62}):\/\/\S+$/;
const bucketPatterns = {
  s3: /^s3:\/\/[a-z0-9][a-z0-9._-]{2,}(?:\/[^\s?#]*)?$/,
  gs: /^gs:\/\/[a-z0-9][a-z0-9._-]{2,}(?:\/[^\s?#]*)?$/,
} as const;
