import { bucketNames } from '@quire/core/bucket';
import type { SettingKind } from '@quire/core/settings';
import { backendOfScheme, storeBackends } from './store-backends.ts';

/** The location of objects in a store of any kind. */
export interface StoreLocation {
  /** The scheme of its URI, `file` for a directory; an unknown scheme belongs to a plug-in. */
  readonly scheme: string;
  /** The absolute path of a directory, or the URI. */
  readonly text: string;
}

const locations = storeBackends.flatMap((backend) => backend.locations ?? []);
const uris = locations
  .filter(({ areDirectories }) => !areDirectories)
  .map(({ example }) => example);
const pluginPattern = /^([a-z][a-z0-9]{1,62}):\/\/\S+$/;

/** A location of any backend or plug-in. */
export const location: SettingKind<StoreLocation> = {
  allowed: `a directory (a path or a file: URI) or a bucket (${uris.join(' or ')}) ${bucketNames}`,
  parse: (value, baseDir) => {
    for (const { schemes, kind } of locations) {
      const text = kind.parse(value, baseDir);
      if (text !== undefined) return { scheme: schemes[0], text };
    }
    const scheme = pluginPattern.exec(value)?.[1];
    return scheme === undefined || backendOfScheme(scheme) !== undefined
      ? undefined
      : { scheme, text: value };
  },
  format: ({ text }) => text,
};

/** Returns the kind of locations of one backend. */
export function locationIn({
  schemes: [scheme],
  kind,
}: (typeof locations)[number]): SettingKind<StoreLocation> {
  return {
    allowed: kind.allowed,
    parse: (value, baseDir) => {
      const text = kind.parse(value, baseDir);
      return text === undefined ? undefined : { scheme, text };
    },
    format: ({ text }) => text,
  };
}
