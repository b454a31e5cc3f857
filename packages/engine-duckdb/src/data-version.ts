import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import type { LiveTables, TableRelation } from '@quire/core/table-engine';
import type { OpenTable } from './table-source.ts';

/** Whose data a version names: the tables of one engine. */
export interface VersionedTables {
  readonly tables: readonly Pick<OpenTable, 'name' | 'files'>[];
  readonly liveTables?: LiveTables | undefined;
}

/**
 * Names the data that these tables have now. Tables of settings are known by the sizes and times of
 * their files, those of a table server by the set of their segments. Undefined when that cannot be
 * told: a file is gone, or a table.
 */
export async function dataVersionOf(
  { tables, liveTables }: VersionedTables,
  names: readonly string[],
): Promise<string | undefined> {
  const files = names.flatMap((name) => filesOf(tables, name) ?? []);
  const liveNames = names.filter((name) => filesOf(tables, name) === undefined);
  const relations = liveNames.length === 0 ? [] : ((await liveTables?.resolve(liveNames)) ?? []);
  if (relations.length < liveNames.length) return undefined;
  return versionOf(await stampsOf(files), relations);
}

/** The same where the relations are known that a query reads. */
export async function versionOfScope(
  { tables }: VersionedTables,
  names: readonly string[],
  relations: readonly TableRelation[],
): Promise<string | undefined> {
  return versionOf(await stampsOf(names.flatMap((name) => filesOf(tables, name) ?? [])), relations);
}

function versionOf(
  stamps: readonly string[] | undefined,
  relations: readonly TableRelation[],
): string | undefined {
  if (stamps === undefined) return undefined;
  // How far a stream was read says nothing about rows.
  const sets = relations
    .map(({ consumedUntilMs: _, ...relation }) => JSON.stringify(relation))
    .toSorted();
  return createHash('sha256')
    .update(JSON.stringify([stamps, sets]))
    .digest('base64url');
}

/**
 * The files of a table of the settings, which also goes by the name of its offline half; undefined
 * when it is not one.
 */
function filesOf(tables: VersionedTables['tables'], name: string): readonly string[] | undefined {
  const lower = name.toLowerCase();
  const found =
    tables.find((table) => table.name.toLowerCase() === lower) ??
    tables.find((table) => `${table.name}_offline`.toLowerCase() === lower);
  return found?.files;
}

async function stampsOf(files: readonly string[]): Promise<readonly string[] | undefined> {
  try {
    return await Promise.all([...new Set(files)].toSorted().map(stampOf));
  } catch {
    return undefined; // the query itself will say what is wrong
  }
}

async function stampOf(file: string): Promise<string> {
  const { size, mtimeMs, ino } = await stat(file);
  return `${file} ${size} ${mtimeMs} ${ino}`;
}
