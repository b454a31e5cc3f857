import { location, type StoreLocation } from './path-kind.ts';
import type { SettingKind } from './setting-kind.ts';

/** Directories, files and buckets, separated by commas; each of them once. */
export const sources: SettingKind<readonly StoreLocation[]> = {
  allowed:
    'a list separated by commas, of which each is a path, a file: URI, or a bucket (s3://bucket/prefix or gs://bucket/prefix)',
  parse: (text, baseDir) => {
    const read = text.split(',').map((element) => location.parse(element.trim(), baseDir));
    const known = read.filter((source) => source !== undefined && source.scheme !== 'plugin');
    const names = new Set(known.map((source) => location.format(source)));
    return known.length === read.length && names.size === known.length ? known : undefined;
  },
  format: (sources) => sources.map((source) => location.format(source)).join(','),
};
