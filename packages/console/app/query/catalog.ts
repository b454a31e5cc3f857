import type { Call } from '../call.ts';

export interface CatalogColumn {
  readonly name: string;
  readonly dataType: string;
}

/** Columns of the tables that queries may read, by name. */
export type Catalog = Readonly<Record<string, readonly CatalogColumn[]>>;

interface FieldSpec {
  readonly name?: string;
  readonly dataType?: string;
}

type SchemaAnswer = Readonly<Record<string, readonly FieldSpec[] | undefined>>;

/** Tables beyond these are completed by name only. */
const tablesMax = 60;

export async function readTableNames(call: Call, signal?: AbortSignal): Promise<readonly string[]> {
  const { tables } = (await call('/tables', { signal })) as { readonly tables?: readonly string[] };
  return tables ?? [];
}

/** Returns the columns of a table, as its schema names them. */
export async function readColumns(
  call: Call,
  table: string,
  signal?: AbortSignal,
): Promise<readonly CatalogColumn[]> {
  const schema = (await call(`/tables/${encodeURIComponent(table)}/schema`, {
    signal,
  })) as unknown as SchemaAnswer;
  const specs = [
    'dimensionFieldSpecs',
    'metricFieldSpecs',
    'dateTimeFieldSpecs',
    'complexFieldSpecs',
  ].flatMap((kind) => schema[kind] ?? []);
  return specs.map(({ name, dataType }) => ({ name: name ?? '', dataType: dataType ?? '' }));
}

/**
 * The names that the editor completes. A table whose schema cannot be read has no columns there.
 */
export async function readCatalog(call: Call, signal: AbortSignal): Promise<Catalog> {
  const names = await readTableNames(call, signal);
  const entries = await Promise.all(
    names.map(async (name, index) => {
      if (index >= tablesMax) return [name, []] as const;
      return [name, await readColumns(call, name, signal).catch(() => [])] as const;
    }),
  );
  return Object.fromEntries(entries);
}

/** Words that are names only when they are quoted. */
const reservedWords: ReadonlySet<string> = new Set(
  `all analyse analyze and any array as asc between both by case cast check column constraint create cross
  date default desc distinct else end except exists false fetch for from full group having in inner intersect into is
  join lateral leading left like limit natural not null offset on only or order outer over primary qualify references
  right select set some summarize table then time timestamp to trailing true union unique using values when where
  window with`.split(/\s+/),
);

/** Returns a name as a query needs it, with any characters. */
export function quoteName(name: string): string {
  const isPlain = /^[A-Za-z_]\w*$/.test(name) && !reservedWords.has(name.toLowerCase());
  return isPlain ? name : `"${name.replaceAll('"', '""')}"`;
}

/** Returns a query of all rows of a table. */
export function selectAll(table: string): string {
  return `SELECT *\nFROM ${quoteName(table)}`;
}
