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

/** The columns of a table, as its schema names them. */
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
 * What the editor completes. A table whose schema cannot be read has no columns there; that is
 * nobody's trouble.
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

/** A query of all rows of a table, whatever signs its name holds. */
export function selectAll(table: string): string {
  return `SELECT *\nFROM ${/^[a-z_]\w*$/.test(table) ? table : `"${table.replaceAll('"', '""')}"`}`;
}
