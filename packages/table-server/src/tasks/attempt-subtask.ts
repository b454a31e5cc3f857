import { readdir } from 'node:fs/promises';
import { QuireError, throwIfAborted } from '@quire/core';
import type { ServedTable } from '../served-table.ts';
import { tablesOf } from './commit-task.ts';
import { runSubtask, type RunSubtaskJob, type SubtaskJob } from './run-subtask.ts';
import type { TaskEngineOptions } from './task-engine-options.ts';
import type { SubtaskOutput } from './task-plan.ts';
import type { StoredTask } from './task-store.ts';

/**
 * Runs a subtask once. Its output files are held until its task has ended. Unfinished files are
 * removed, however the process that wrote them ended.
 *
 * @throws the reason why it has no output
 */
export async function attemptSubtask(
  task: StoredTask,
  index: number,
  {
    parts,
    signal,
    onProgress,
  }: {
    readonly parts: TaskEngineOptions;
    readonly signal: AbortSignal;
    readonly onProgress: (sentence: string) => void;
  },
): Promise<SubtaskOutput> {
  const work = task.work[index];
  if (work === undefined) {
    throw new QuireError('INTERNAL', `Task ${task.record.taskName} has no work ${index}.`);
  }
  const { registry, clock, random, ingestion } = parts;
  const { source, target } = tablesOf(task, registry);
  const schema = await registry.schemas.read(target.rawName);
  throwIfAborted(signal);
  const createdMs = clock.nowMs();
  const segmentStem = `${target.name}_${createdMs}_${Buffer.from(random.bytes(4)).toString('hex')}_`;
  const job: SubtaskJob = {
    work,
    sourceDirectory: source.pathOf(''),
    targetDirectory: target.pathOf(''),
    config: target.record.config,
    schema,
    createdMs,
    segmentStem,
  };
  using _announced = await target.announce(segmentStem);
  const { finder, rowBytesMax } = ingestion;
  const run: RunSubtaskJob =
    ingestion.runSubtask ??
    ((given, how) => runSubtask(given, { clock, random, finder, rowBytesMax, ...how }));
  try {
    const output = await run(job, { signal, onProgress });
    for (const { file } of output.segments) target.holdFile(file);
    return output;
  } catch (error) {
    await removeFiles(target, segmentStem);
    throw error;
  }
}

async function removeFiles(target: ServedTable, stem: string): Promise<void> {
  for (const file of await readdir(target.pathOf(''))) {
    if (file.startsWith(stem)) await target.removeFile(file);
  }
}
