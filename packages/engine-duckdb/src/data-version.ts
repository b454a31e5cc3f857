import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { isQuireError } from '@quire/core';
import type { LiveTables, TableRelation } from '@quire/core/table-engine';
import type { OpenTable } from './table-source.ts';

/** The tables of one engine, whose data a version identifies. */
export interface VersionedTables {
  readonly tables: readonly Pick<OpenTable, 'name' | 'files'>[];
  readonly liveTables?: LiveTables | undefined;
}

/**
 * Returns the version of the data that these tables have now: files of configured tables by their
 * sizes and times, tables of a table server by their set of segments. Undefined if a file or a
 * table no longer exists.
 */
export async function dataVersionOf(
  { tables, liveTables }: VersionedTables,
  names: readonly string[],
): Promise<string | undefined> {
  const files = names.flatMap((name) => filesOf(tables, name) ?? []);
  const liveNames = names.filter((name) => filesOf(tables, name) === undefined);
  const relations = liveNames.length === 0 ? [] : await relationsOf(liveTables, liveNames);
  if (relations.length < liveNames.length) return undefined;
  return versionOf(await stampsOf(files), relations);
}

async function relationsOf(
  liveTables: LiveTables | undefined,
  names: readonly string[],
): Promise<readonly TableRelation[]> {
  try {
    return (await liveTables?.resolve(names)) ?? [];
  } catch (error) {
    if (!isQuireError(error, 'STORE_UNAVAILABLE')) throw error;
    return []; // the query itself reports the problem
  }
}

/** Returns the version of the data for a query whose relations are known. */
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
  // The time up to which a stream was consumed does not change rows.
  const sets = relations
    .map(({ consumedUntilMs: _, ...relation }) => JSON.stringify(relation))
    .toSorted();
  return createHash('sha256')
    .update(JSON.stringify([stamps, sets]))
    .digest('base64url');
}

/**
 * Returns the files of a configured table, which also has the name of its offline half; undefined
 * if it is not one.
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
    return undefined; // the query itself reports the problem
  }
}

async function stampOf(file: string): Promise<string> {
  const { size, mtimeMs, ino } = await stat(file);
  return `${file} ${size} ${mtimeMs} ${ino}`;
}
