import { describe, expect, expectTypeOf, test } from 'vitest';
import type { Settings, TableSettings } from '@quire/settings';
import { variableOf } from '../src/environment.ts';
import { fixedSettings, namedSettings } from '../src/known-keys.ts';

const rows = [...fixedSettings, ...namedSettings].map(({ row }) => row);

describe('the table of settings', () => {
  test('the table of settings has each key and each environment variable once', () => {
    expect(new Set(rows.map(({ key }) => key)).size).toBe(rows.length);
    expect(new Set(rows.map(({ key }) => variableOf(key))).size).toBe(rows.length);
  });

  test('the table of settings has no fixed variable that could be one with a name in it', () => {
    const patterns = namedSettings.map(
      ({ prefix, suffix }) => new RegExp(`^${variableOf(prefix)}.+${variableOf(suffix)}$`),
    );
    expect(
      fixedSettings
        .map(({ row }) => variableOf(row.key))
        .filter((variable) => patterns.some((each) => each.test(variable))),
    ).toEqual([]);
  });

  test('the table of settings has defaults that are allowed and shown as they are written', () => {
    const defaults = rows.flatMap((row) =>
      typeof row.default === 'string' ? [{ row, text: row.default }] : [],
    );
    // Durations are shown in the largest units: 1m for 60s.
    const shownOtherwise: Record<string, string> = { '60s': '1m', '75s': '1m15s' };
    const shown = defaults.map(({ row, text }) => [
      row.key,
      row.kind.format(row.kind.parse(text, '/')),
    ]);
    expect(shown).toEqual(defaults.map(({ row, text }) => [row.key, shownOtherwise[text] ?? text]));
    expect(defaults.length).toBeGreaterThan(30);
  });

  test('the table of settings has settings that require others only where there are such settings', () => {
    const keys = rows.map(({ key }) => key);
    const required = rows.flatMap(({ requires }) => requires);
    expect(required).not.toEqual([]);
    expect(keys).toEqual(expect.arrayContaining(required));
  });

  test('the table of settings has defaults that stand for the value of another setting only where there is such a setting', () => {
    const keys = rows.map(({ key }) => key);
    const references = rows.flatMap((row) =>
      typeof row.default === 'object' ? [row.default.of] : [],
    );
    expect(references).toEqual(['engine.bind.host']);
    expect(keys).toEqual(expect.arrayContaining(references));
  });

  test('the table of settings gives every value its own type', () => {
    expectTypeOf<Settings['results']['compression']>().toEqualTypeOf<
      'auto' | 'none' | 'zstd' | 'lz4'
    >();
    expectTypeOf<Settings['results']['expirationMs']>().toEqualTypeOf<number>();
    expectTypeOf<Settings['controller']['cleanerInitialDelayMs']>().toEqualTypeOf<
      number | 'random'
    >();
    expectTypeOf<Settings['tls']['keyFile']>().toEqualTypeOf<string | undefined>();
    expectTypeOf<TableSettings>().toEqualTypeOf<
      { readonly name: string } & {
        readonly path: string;
        readonly format: 'auto' | 'parquet' | 'csv' | 'json';
      }
    >();
  });
});
