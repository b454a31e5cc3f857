import type { Clock } from '../clock.ts';
import type { ObjectStore } from '../object-store.ts';
import type { Random } from '../random.ts';
import type { SettingKind } from '../settings/setting-kind.ts';
import type { SettingRows, SettingValues } from '../settings/setting-row.ts';

/** The options for opening a store besides its location and its own settings. */
export interface StoreOpening {
  readonly clock: Clock;
  readonly random: Random;
  /** The number of attempts to send a part of a large object; `withRetry` repeats whole calls. */
  readonly partAttemptsMax: number;
  /** True if the location must exist already; otherwise a store may create its directory. */
  readonly mustExist?: boolean;
  /** True if the store will only be read: the permission to write to a bucket is not verified. */
  readonly isReadOnly?: boolean;
}

/** The valid locations of one kind of store. */
export interface StoreLocations {
  /** The schemes of their URIs. */
  readonly schemes: readonly [string, ...string[]];
  /**
   * True if the locations are directories of this machine, given as absolute paths; otherwise they
   * are URIs.
   */
  readonly areDirectories: boolean;
  /** A location as a URI, for messages: `file:///directory`. */
  readonly example: string;
  /** Parses the location in the setting of the data directory. */
  readonly kind: SettingKind<string>;
}

/**
 * A kind of object store: its names, settings and capabilities, and how to open it.
 *
 * Each store package exports one as its entry `backend`, which loads no SDK until a store is
 * opened. `@quire/settings/store-backends` lists all of them; other code iterates that list.
 */
export interface StoreBackend<Rows extends SettingRows = SettingRows> {
  /** The value of `engine.broker.pagination.protocol`, which is also its part of settings' keys. */
  readonly name: string;
  /** The type of its results in responses (SPECIFICATION.md section 2.8). */
  readonly storeType: string;
  /** The name for display. */
  readonly title: string;
  /**
   * The locations of its stores; undefined for memory, which has no location and no I/O failures.
   */
  readonly locations: StoreLocations | undefined;
  /** Its rows of the settings table; the row for its location is derived from `locations`. */
  readonly settings: Rows;
  /** True if it is accessed over a network: its results are then compressed and read ahead. */
  readonly isRemote: boolean;
  /** True if its stores sign links to objects: see `LinkSigner`. */
  readonly signsLinks: boolean;
  /** Reports whether brokers on other machines can access the same objects. */
  isShared(values: SettingValues<Rows>): boolean;
  /** Returns the capacity of a store in bytes; absent if only a quota limits it. */
  capacityBytes?(values: SettingValues<Rows>): number;
  /**
   * Opens a store.
   *
   * @throws INVALID_PARAMETER when the location or a setting is wrong, or the location is missing
   */
  open(location: string, values: SettingValues<Rows>, opening: StoreOpening): Promise<ObjectStore>;
}
