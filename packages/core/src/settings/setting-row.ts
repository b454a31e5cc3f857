import type { SettingKind } from './setting-kind.ts';

/** One row of the table of settings: everything that Quire knows of one key. */
export interface SettingRow<Value> {
  /** The key as users write it; a part in angle brackets stands for a name that they choose. */
  readonly key: string;
  readonly kind: SettingKind<Value>;
  /**
   * The default as text, or the key of the setting whose value it takes; undefined when there is
   * none.
   */
  readonly default: string | { readonly of: string } | undefined;
  /** Whether a running server may take over a new value; the others need a restart. */
  readonly live: boolean;
  /** Whether the value must not be shown anywhere. */
  readonly secret: boolean;
  /** Whether every use of a name needs this setting (only keys with a name part). */
  readonly required: boolean;
  /** The keys of settings that must be set where this one is. */
  readonly requires: readonly string[];
  /** What it does, in sentences, for the reference. */
  readonly meaning: string;
}

/** Rows of the table of settings, by the names of their values. */
export type SettingRows = Readonly<Record<string, SettingRow<unknown>>>;
/** The type of the value of a setting. */
export type SettingValue<Row> = Row extends SettingRow<infer Value> ? Value : never;
/** The values of a group of settings. */
export type SettingValues<Rows extends SettingRows> = {
  readonly [Name in keyof Rows]: SettingValue<Rows[Name]>;
};

/** The members of a row that its author gives; the others have defaults. */
export interface SettingRowParts<Value> {
  readonly key: string;
  readonly kind: SettingKind<Value>;
  readonly live?: boolean;
  readonly secret?: boolean;
  readonly requires?: readonly string[];
  readonly meaning: string;
}

/** What a row is that does not say otherwise. */
const absent = { live: false, secret: false, requires: [] } as const;

/** A setting that always has a value. */
export function setting<Value>(
  parts: SettingRowParts<Value> & { readonly default: string | { readonly of: string } },
): SettingRow<Value> {
  return { ...absent, required: false, ...parts };
}

/** A setting that may be left out; its value is then undefined. */
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

/** A setting without which the others of the same name mean nothing. */
export function requiredSetting<Value>(parts: SettingRowParts<Value>): SettingRow<Value> {
  return { ...absent, ...parts, required: true, default: undefined };
}

function orUndefined<Value>(kind: SettingKind<Value>): SettingKind<Value | undefined> {
  return { ...kind, format: (value) => (value === undefined ? '' : kind.format(value)) };
}
