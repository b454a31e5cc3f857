export { EmbeddedTableEngine } from './embedded-table-engine.ts';
export type { EmbeddedTableEngineOptions } from './embedded-table-engine-options.ts';
export { DirectoryTables } from './queries/directory-tables.ts';
export type { ConsumerEvents } from './consumption/partition-consumer.ts';
export type {
  ChunkJob,
  ChunkLost,
  ChunkOutput,
  FillJob,
  MergeJob,
  NewRowFile,
  RunChunkJob,
  TableDocuments,
} from './consumption/chunk-job.ts';
export type { PackedMessages } from './consumption/packed-messages.ts';
export type { GarbageEvent } from './upkeep/garbage.ts';
export type { BadMessage } from './consumption/transform-messages.ts';
export type { RunSubtaskJob, SubtaskJob, SubtaskTools } from './tasks/run-subtask.ts';
export type {
  Aggregation,
  GenerateWork,
  MergeMode,
  MergeWork,
  SubtaskOutput,
  SubtaskWork,
} from './tasks/task-plan.ts';
export type { Digits, RowFile, SegmentRecord } from './segments/manifest.ts';
export type { DamagedSegment } from './upkeep/scrub.ts';
