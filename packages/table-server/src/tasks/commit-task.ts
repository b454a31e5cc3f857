import { QuireError } from '@quire/core';
import type { Manifest } from '../segments/manifest.ts';
import type { SegmentChange } from '../segments/segment-catalog.ts';
import type { ServedTable } from '../served-table.ts';
import type { TableRegistry } from '../table-registry.ts';
import type { SubtaskOutput } from './task-plan.ts';
import type { StoredTask, TaskStore } from './task-store.ts';

/**
 * Makes all outputs of a task visible at once, instead of the segments that they replace, and
 * stores the progress of the table. It may be run twice, because a crash may happen between the
 * change and its record.
 *
 * @throws CONFLICT when a merged segment has been removed in between: its rows must not reappear
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
  await target.segments.change((manifest) => changeOf(task, manifest, nowMs));
  const { ingestedFiles, watermarkMs } = task.commit;
  const before = await store.readProgress(source.record.tableId);
  await store.writeProgress(source.record.tableId, {
    ingestedFiles: [...new Set([...before.ingestedFiles, ...ingestedFiles])],
    watermarkMs: watermarkMs ?? before.watermarkMs,
  });
}

function changeOf(
  { record, outputs, commit }: StoredTask,
  { segments }: Manifest,
  nowMs: number,
): SegmentChange {
  const present = new Set(segments.map(({ segmentName }) => segmentName));
  const add = outputs
    .flatMap((output) => output?.segments ?? [])
    .map((segment) => ({ ...segment, committedMs: nowMs }));
  const remove = commit.remove === 'all' ? [...present] : commit.remove;
  const missing = remove.filter((segmentName) => !present.has(segmentName));
  const isDone =
    add.length > 0
      ? add.every(({ segmentName }) => present.has(segmentName))
      : missing.length === remove.length;
  if (isDone) return {};
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
 * another has its name
 */
export function tablesOf(
  { sourceTableId, targetTableId, record, commit }: StoredTask,
  registry: TableRegistry,
): { readonly source: ServedTable; readonly target: ServedTable } {
  const find = (tableId: string, name: string): ServedTable => {
    const table = registry.tables.find((each) => each.record.tableId === tableId);
    if (table !== undefined) return table;
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
