import type { Clock, ObjectStore, Random } from '@quire/core';
import type { Settings } from '@quire/settings';
import { type AllowedBucket, createFileFinder, type FileFinder } from '@quire/tables';
import { openGcsStore, openS3Store } from '../stores/open-remote-store.ts';

/** The settings that buckets are opened by. */
export type BucketSettings = Pick<Settings, 'store' | 's3' | 'gcs'>;

/**
 * The files that may be read by name; buckets are opened when one is asked for, and kept until the
 * end.
 */
export class PreviewSources implements AsyncDisposable {
  readonly #settings: BucketSettings;
  readonly #dependencies: { readonly clock: Clock; readonly random: Random };
  readonly #stores = new Map<string, Promise<ObjectStore>>();

  constructor(
    settings: BucketSettings,
    dependencies: { readonly clock: Clock; readonly random: Random },
  ) {
    this.#settings = settings;
    this.#dependencies = dependencies;
  }

  /** Finds files in these locations; undefined when there are none. */
  finderOf(locations: Settings['preview']['sources']): FileFinder | undefined {
    if (locations === undefined) return undefined;
    const paths = locations.flatMap((location) =>
      location.scheme === 'file' ? location.path : [],
    );
    const buckets = locations.flatMap((location): AllowedBucket[] =>
      location.scheme === 'file'
        ? []
        : [{ location: location.uri, open: () => this.#open(location.uri) }],
    );
    return createFileFinder({ paths, buckets });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const opening of this.#stores.values()) {
      // One that could not be opened was reported to its caller.
      const store = await opening.catch(() => undefined);
      await store?.[Symbol.asyncDispose]();
    }
  }

  #open(location: string): Promise<ObjectStore> {
    const known = this.#stores.get(location);
    if (known !== undefined) return known;
    const open = location.startsWith('s3:') ? openS3Store : openGcsStore;
    const opening = open(location, this.#settings, this.#dependencies);
    this.#stores.set(location, opening);
    // The next caller tries again.
    opening.catch(() => this.#stores.delete(location));
    return opening;
  }
}
