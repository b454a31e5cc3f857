import type { ControllerPreviewOptions } from '@quire/controller';
import type { Clock, ObjectStore, Random } from '@quire/core';
import type { Settings } from '@quire/settings';
import { openStream, parseStreamConfig } from '@quire/streams';
import { type AllowedBucket, createFileFinder, type FileFinder } from '@quire/tables';
import type { LiveSettings } from './live-settings.ts';
import { openGcsStore, openS3Store } from './open-remote-store.ts';

/** What previews may do, as the settings say at the moment; buckets are opened when one is asked for, and kept until the end. */
export class PreviewSources implements AsyncDisposable {
  readonly #live: LiveSettings;
  readonly #surroundings: { readonly clock: Clock; readonly random: Random };
  readonly #stores = new Map<string, Promise<ObjectStore>>();
  readonly options: ControllerPreviewOptions;

  constructor(live: LiveSettings, surroundings: { readonly clock: Clock; readonly random: Random }) {
    this.#live = live;
    this.#surroundings = surroundings;
    const finder = (): FileFinder | undefined => this.#finder(live.current);
    this.options = {
      bodyBytesMax: live.current.preview.bodyBytesMax,
      get limits() {
        const {
          sources: _sources,
          bodyBytesMax: _bodyBytesMax,
          concurrencyMax: _concurrencyMax,
          ...limits
        } = live.current.preview;
        return limits;
      },
      get concurrencyMax() {
        return live.current.preview.concurrencyMax;
      },
      openStream: (config) => {
        const { start } = parseStreamConfig(config);
        return { start, stream: openStream(config, { ...live.current.streams, clock: surroundings.clock }) };
      },
      get finder() {
        return finder();
      },
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const opening of this.#stores.values()) {
      // One that could not be opened was told to whoever asked for it.
      const store = await opening.catch(() => undefined);
      await store?.[Symbol.asyncDispose]();
    }
  }

  #finder({ preview }: Settings): FileFinder | undefined {
    if (preview.sources === undefined) return undefined;
    const paths = preview.sources.flatMap((place) => (place.scheme === 'file' ? place.path : []));
    const buckets = preview.sources.flatMap((place): AllowedBucket[] =>
      place.scheme === 'file' ? [] : [{ location: place.uri, open: () => this.#open(place.uri) }],
    );
    return createFileFinder({ paths, buckets });
  }

  #open(location: string): Promise<ObjectStore> {
    const known = this.#stores.get(location);
    if (known !== undefined) return known;
    const open = location.startsWith('s3:') ? openS3Store : openGcsStore;
    const opening = open(location, this.#live.current, this.#surroundings);
    this.#stores.set(location, opening);
    // Whoever asks next tries again.
    opening.catch(() => this.#stores.delete(location));
    return opening;
  }
}
