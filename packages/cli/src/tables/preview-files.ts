import { parse, resolve } from 'node:path';
import type { ObjectStore } from '@quire/core';
import { type AllowedBucket, createFileFinder, type FileFinder } from '@quire/tables';
import type { Environment } from '../environment.ts';
import { readSettings } from '../settings-options.ts';
import { openLocation } from '@quire/server/stores';
import type { StoreLocation } from '@quire/settings';
import { bucketSchemes } from '@quire/settings/store-backends';

/** The files of the user's own preview; buckets are closed on disposal. */
export interface PreviewFiles extends AsyncDisposable {
  /** The patterns, with absolute paths. */
  readonly patterns: readonly string[];
  readonly finder: FileFinder;
}

const bucketPattern = /^([a-z][a-z0-9]*):\/\/[^/]+/;

/**
 * Finds all files that the user may read: users may preview any files that they name. Buckets are
 * accessed with the settings of the environment.
 */
export async function openPreviewFiles(
  files: readonly string[],
  environment: Environment,
): Promise<PreviewFiles> {
  const opened = new Map<string, Promise<ObjectStore>>();
  const locations = new Map(
    files.flatMap((file) => bucketOf(file) ?? []).map((location) => [location.text, location]),
  );
  const buckets = Array.from(locations.values(), (location): AllowedBucket => {
    const { text } = location;
    return {
      location: text,
      open() {
        const store = opened.get(text) ?? openBucket(location, environment);
        opened.set(text, store);
        return store;
      },
    };
  });
  return {
    patterns: files.map((file) =>
      /^[a-z][a-z0-9+.-]+:/i.test(file) ? file : resolve(environment.directory, file),
    ),
    finder: createFileFinder({
      paths: [parse(resolve(environment.directory)).root],
      buckets,
      schemes: bucketSchemes,
    }),
    async [Symbol.asyncDispose]() {
      for (const opening of opened.values()) {
        // The preview has reported a bucket that could not be opened.
        const store = await opening.catch(() => undefined);
        await store?.[Symbol.asyncDispose]();
      }
    },
  };
}

async function openBucket(location: StoreLocation, environment: Environment): Promise<ObjectStore> {
  const { settings } = await readSettings({}, environment);
  const { clock, random } = environment;
  return openLocation(location, settings, { clock, random, isReadOnly: true });
}

/** Returns the bucket of a URI; undefined for any other file. */
function bucketOf(file: string): StoreLocation | undefined {
  const [text, scheme = ''] = bucketPattern.exec(file) ?? [];
  return text !== undefined && bucketSchemes.includes(scheme) ? { scheme, text } : undefined;
}
