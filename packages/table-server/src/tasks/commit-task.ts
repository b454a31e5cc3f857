import { QuireError } from '@quire/core';
import type { Manifest } from '../segments/manifest.ts';
import type { SegmentChange } from '../segments/segment-catalog.ts';
import type { ServedTable } from '../served-table.ts';
import { tableDamaged } from '../table-errors.ts';
import type { TableRegistry } from '../table-registry.ts';
import type { SubtaskOutput } from './task-plan.ts';
import type { StoredTask, TaskStore } from './task-store.ts';

/**
 * Makes all outputs of a task visible at once, instead of the segments that they replace, and
 * stores the progress of the table. It may be run again, because a crash or a full disk may prevent
 * any of its writes.
 *
 * @throws CONFLICT when a merged segment has been removed in between: its rows must not reappear;
 *   RECORD_DAMAGED when the progress cannot be read. Nothing has changed then.
 */
export async function commitTask(
  task: StoredTask,
  {
    source,
    target,
    store,
    nowMs,
  }: {
    readonly source: ServedTable;
    readonly target: ServedTable;
    readonly store: TaskStore;
    readonly nowMs: number;
  },
): Promise<void> {
  const { ingestedFiles, watermarkMs } = task.commit;
  // Rows must not become visible while their progress is unknown.
  const before = await store.readProgress(source.record.tableId);
  await target.segments.change((manifest) => changeOf(task, manifest, nowMs));
  await store.writeProgress(source.record.tableId, {
    ingestedFiles: [...new Set([...before.ingestedFiles, ...ingestedFiles])],
    watermarkMs: watermarkMs ?? before.watermarkMs,
  });
}

/**
 * Reports whether the outputs of a task are in its target, or were and have been removed since: the
 * files of a task are held until it ends, and until then the manifest names removed ones as well.
 */
export function hasCommitted(
  { outputs }: StoredTask,
  { segments, retired }: Pick<Manifest, 'segments' | 'retired'>,
): boolean {
  const files = new Set(
    outputs.flatMap((output) => output?.segments ?? []).map(({ file }) => file),
  );
  return [...segments, ...retired].some(({ file }) => files.has(file));
}

function changeOf(task: StoredTask, manifest: Manifest, nowMs: number): SegmentChange {
  if (hasCommitted(task, manifest)) return {};
  const { record, outputs, commit } = task;
  const { segments } = manifest;
  const present = new Set(segments.map(({ segmentName }) => segmentName));
  const add = outputs
    .flatMap((output) => output?.segments ?? [])
    .map((segment) => ({ ...segment, committedMs: nowMs }));
  const remove = commit.remove === 'all' ? [...present] : commit.remove;
  const missing = remove.filter((segmentName) => !present.has(segmentName));
  if (add.length === 0 && missing.length === remove.length) return {};
  if (missing.length === 0) {
    return { remove, add, reason: `replaced by the task ${record.taskName}` };
  }
  throw new QuireError(
    'CONFLICT',
    `Segment ${missing[0]} was removed from the table while its rows were being merged.`,
  );
}

/**
 * Returns the tables that a task reads and writes. @throws CONFLICT when one was deleted, or
 * another has its name; TABLE_DAMAGED when one is set aside
 */
export function tablesOf(
  { sourceTableId, targetTableId, record, commit }: StoredTask,
  registry: TableRegistry,
): { readonly source: ServedTable; readonly target: ServedTable } {
  const find = (tableId: string, name: string): ServedTable => {
    const table = registry.tables.find((each) => each.record.tableId === tableId);
    if (table !== undefined) return table;
    const damage = registry.setAside.get(name);
    if (damage !== undefined) throw tableDamaged(name, damage);
    throw new QuireError('CONFLICT', `The table ${name} of the task was deleted.`);
  };
  return {
    source: find(sourceTableId, record.tableNameWithType),
    target: find(targetTableId, commit.targetTable),
  };
}

/** Releases the files of a task that has ended, and deletes those that did not become visible. */
export async function releaseFiles(
  { record, targetTableId }: StoredTask,
  outputs: readonly (SubtaskOutput | null)[],
  registry: TableRegistry,
): Promise<void> {
  const target = registry.tables.find((each) => each.record.tableId === targetTableId);
  for (const { file } of outputs.flatMap((output) => output?.segments ?? [])) {
    if (record.state !== 'COMPLETED') await target?.removeFile(file);
    target?.releaseFile(file);
  }
}
