import type { Clock } from '../clock.ts';
import type { ObjectStore } from '../object-store.ts';
import type { Random } from '../random.ts';
import type { SettingKind } from '../settings/setting-kind.ts';
import type { SettingRows, SettingValues } from '../settings/setting-row.ts';

/** What a store is opened with beside its location and the settings of its kind. */
export interface StoreOpening {
  readonly clock: Clock;
  readonly random: Random;
  /** How often a part of a large object is sent; calls are repeated by `withRetry`. */
  readonly partAttemptsMax: number;
  /** Whether the location must exist already; without it, a store may create its directory. */
  readonly mustExist?: boolean;
}

/** Where the stores of one kind can be. */
export interface StoreLocations {
  /** The schemes of their URIs. */
  readonly schemes: readonly [string, ...string[]];
  /** Whether they are directories of this machine, by their absolute paths; else URIs. */
  readonly areDirectories: boolean;
  /** A location as a URI, for messages: `file:///directory`. */
  readonly example: string;
  /** Reads a location as the setting of the data directory has it. */
  readonly kind: SettingKind<string>;
}

/**
 * A kind of object store: its names, its settings, what it can do and how it is opened.
 *
 * Each store package exports one as its entry `backend`, which loads no SDK before a store is
 * opened. The list of all is `@quire/settings/store-backends`; everything else loops over it.
 */
export interface StoreBackend<Rows extends SettingRows = SettingRows> {
  /** The value of `engine.broker.pagination.protocol`, and its word in the keys of settings. */
  readonly name: string;
  /** The type of its results as SPECIFICATION.md section 2.8 names it. */
  readonly storeType: string;
  /** What people call it. */
  readonly title: string;
  /** Undefined for the memory of this process, which has no location and no failures of I/O. */
  readonly locations: StoreLocations | undefined;
  /** Its rows of the table of settings; that of its location is made of `locations`. */
  readonly settings: Rows;
  /** Whether its calls go over a network: its results are compressed and read ahead. */
  readonly isRemote: boolean;
  /** Whether its stores sign links to objects, as `LinkSigner` says. */
  readonly signsLinks: boolean;
  /** Returns whether brokers on other machines reach the same objects. */
  isShared(values: SettingValues<Rows>): boolean;
  /** Returns the bytes that a store can hold; absent where only a quota limits them. */
  capacityBytes?(values: SettingValues<Rows>): number;
  /**
   * Opens a store.
   *
   * @throws INVALID_PARAMETER when the location or a setting is wrong, or the location is missing
   */
  open(location: string, values: SettingValues<Rows>, opening: StoreOpening): Promise<ObjectStore>;
}
