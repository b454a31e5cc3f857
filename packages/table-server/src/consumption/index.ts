/* The consumption work alone, for worker processes. */
export {
  type ChunkJob,
  type ChunkLost,
  type ChunkOutput,
  type ChunkTools,
  type FillJob,
  type MergeJob,
  type NewRowFile,
  runChunkJob,
  type RunChunkJob,
  type TableDocuments,
} from './chunk-job.ts';
export type { PackedMessages } from './packed-messages.ts';
export type { BadMessage } from './transform-messages.ts';
export type { Digits, RowFile } from '../segments/manifest.ts';
