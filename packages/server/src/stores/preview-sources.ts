import type { ObjectStore } from '@quire/core';
import type { Settings, StoreLocation } from '@quire/settings';
import { type AllowedBucket, createFileFinder, type FileFinder } from '@quire/tables';
import { type BackendDependencies, type LocationSettings, openSource } from './open-store.ts';
import { bucketSchemes, isDirectoryScheme } from '@quire/settings/store-backends';

/**
 * Files that previews may read by name; buckets are opened on first use, and stay open until the
 * end.
 */
export class PreviewSources implements AsyncDisposable {
  readonly #settings: LocationSettings;
  readonly #dependencies: BackendDependencies;
  readonly #stores = new Map<string, Promise<ObjectStore>>();

  constructor(settings: LocationSettings, dependencies: BackendDependencies) {
    this.#settings = settings;
    this.#dependencies = dependencies;
  }

  /** Finds files in these locations; undefined if there are none. */
  finderOf(locations: Settings['preview']['sources']): FileFinder | undefined {
    if (locations === undefined) return undefined;
    const paths = locations.flatMap(({ scheme, text }) => (isDirectoryScheme(scheme) ? text : []));
    const buckets = locations
      .filter(({ scheme }) => !isDirectoryScheme(scheme))
      .map((location): AllowedBucket => ({
        location: location.text,
        open: () => this.#open(location),
      }));
    return createFileFinder({ paths, buckets, schemes: bucketSchemes });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const opening of this.#stores.values()) {
      // A store that could not be opened was reported to its caller.
      const store = await opening.catch(() => undefined);
      await store?.[Symbol.asyncDispose]();
    }
  }

  #open(location: StoreLocation): Promise<ObjectStore> {
    const known = this.#stores.get(location.text);
    if (known !== undefined) return known;
    const opening = openSource(location, this.#settings, this.#dependencies);
    this.#stores.set(location.text, opening);
    // The next caller retries.
    opening.catch(() => this.#stores.delete(location.text));
    return opening;
  }
}
