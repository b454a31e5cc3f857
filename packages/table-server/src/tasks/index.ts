/* The task work alone, for worker processes. */
export { runSubtask, type SubtaskJob, type SubtaskTools } from './run-subtask.ts';
export type {
  Aggregation,
  GenerateWork,
  MergeMode,
  MergeWork,
  SubtaskOutput,
  SubtaskWork,
} from './task-plan.ts';
export type { Digits, RowFile, SegmentRecord } from '../segments/manifest.ts';
