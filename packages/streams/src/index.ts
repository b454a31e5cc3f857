export type { FetchedMessages, FetchLimits, MessageStream, PartitionOffsets, StreamMessage } from './message-stream.ts';
