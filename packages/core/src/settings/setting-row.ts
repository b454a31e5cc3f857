import type { SettingKind } from './setting-kind.ts';

/** One row of the settings table: everything that Quire knows about one key. */
export interface SettingRow<Value> {
  /** The key as users write it; a part in angle brackets is a name of their choice. */
  readonly key: string;
  readonly kind: SettingKind<Value>;
  /**
   * The default as text, or the key of the setting that supplies it; undefined if there is none.
   */
  readonly default: string | { readonly of: string } | undefined;
  /** True if a new value takes effect in a running server; other settings need a restart. */
  readonly live: boolean;
  /** True if the value must never be displayed. */
  readonly secret: boolean;
  /** True if every use of a name needs this setting (only keys with a name part). */
  readonly required: boolean;
  /** The keys of the settings that are required when this one is set. */
  readonly requires: readonly string[];
  /** A description in sentences, for the reference. */
  readonly meaning: string;
}

/** Rows of the settings table, by the names of their values. */
export type SettingRows = Readonly<Record<string, SettingRow<unknown>>>;
/** The type of the value of a setting. */
export type SettingValue<Row> = Row extends SettingRow<infer Value> ? Value : never;
/** The values of a group of settings. */
export type SettingValues<Rows extends SettingRows> = {
  readonly [Name in keyof Rows]: SettingValue<Rows[Name]>;
};

/** The members of a row that its author supplies; the others have defaults. */
export interface SettingRowParts<Value> {
  readonly key: string;
  readonly kind: SettingKind<Value>;
  readonly live?: boolean;
  readonly secret?: boolean;
  readonly requires?: readonly string[];
  readonly meaning: string;
}

/** The defaults of a row. */
const absent = { live: false, secret: false, requires: [] } as const;

/** Returns a setting that always has a value. */
export function setting<Value>(
  parts: SettingRowParts<Value> & { readonly default: string | { readonly of: string } },
): SettingRow<Value> {
  return { ...absent, required: false, ...parts };
}

/** Returns a setting that may be omitted; its value is then undefined. */
export function optionalSetting<Value>(
  parts: SettingRowParts<Value>,
): SettingRow<Value | undefined> {
  return {
    ...absent,
    required: false,
    ...parts,
    kind: orUndefined(parts.kind),
    default: undefined,
  };
}

/** Returns a setting that every use of its name requires. */
export function requiredSetting<Value>(parts: SettingRowParts<Value>): SettingRow<Value> {
  return { ...absent, ...parts, required: true, default: undefined };
}

function orUndefined<Value>(kind: SettingKind<Value>): SettingKind<Value | undefined> {
  return { ...kind, format: (value) => (value === undefined ? '' : kind.format(value)) };
}
