import { parse, resolve } from 'node:path';
import type { ObjectStore } from '@quire/core';
import { type AllowedBucket, createFileFinder, type FileFinder } from '@quire/tables';
import type { Environment } from '../environment.ts';
import { readSettings } from '../settings-options.ts';
import { openGcsStore, openS3Store } from '@quire/server/stores';

/** Where the files of the user's own preview are; buckets are closed when it is disposed. */
export interface PreviewFiles extends AsyncDisposable {
  /** The patterns, with absolute paths. */
  readonly patterns: readonly string[];
  readonly finder: FileFinder;
}

const bucketPattern = /^(s3|gs):\/\/[^/]+/;

/**
 * Finds whatever files the user may read: what users name themselves, they may preview. Buckets are
 * reached as the environment says.
 */
export async function openPreviewFiles(
  files: readonly string[],
  environment: Environment,
): Promise<PreviewFiles> {
  const opened = new Map<string, Promise<ObjectStore>>();
  const locations = new Set(files.flatMap((file) => bucketPattern.exec(file)?.[0] ?? []));
  const buckets = Array.from(locations, (location): AllowedBucket => {
    return {
      location,
      open() {
        const store = opened.get(location) ?? openBucket(location, environment);
        opened.set(location, store);
        return store;
      },
    };
  });
  return {
    patterns: files.map((file) =>
      /^[a-z][a-z0-9+.-]+:/i.test(file) ? file : resolve(environment.directory, file),
    ),
    finder: createFileFinder({ paths: [parse(resolve(environment.directory)).root], buckets }),
    async [Symbol.asyncDispose]() {
      for (const store of opened.values()) await (await store)[Symbol.asyncDispose]();
    },
  };
}

async function openBucket(location: string, environment: Environment): Promise<ObjectStore> {
  const { settings } = await readSettings({}, environment);
  return location.startsWith('s3:')
    ? openS3Store(location, settings, environment)
    : openGcsStore(location, settings, environment);
}
