import { QuireError } from '@quire/core';
import { planGeneration } from './plan-generation.ts';
import { planMergeRollup } from './plan-merge-rollup.ts';
import { planRealtimeToOffline } from './plan-realtime-to-offline.ts';
import type { TaskPlanner } from './task-plan.ts';

const planners: Readonly<Record<string, TaskPlanner>> = {
  MergeRollupTask: planMergeRollup,
  RealtimeToOfflineSegmentsTask: planRealtimeToOffline,
  SegmentGenerationAndPushTask: planGeneration,
};

/** In ascending order. */
export const taskTypes: readonly string[] = Object.keys(planners);

/** @throws TASK_TYPE_NOT_FOUND */
export function plannerOf(taskType: string): TaskPlanner {
  const planner = Object.hasOwn(planners, taskType) ? planners[taskType] : undefined;
  if (planner !== undefined) return planner;
  throw new QuireError(
    'TASK_TYPE_NOT_FOUND',
    `There is no task type '${taskType.slice(0, 100)}'; expected ${taskTypes.join(', ')}.`,
  );
}
