import type { MessageStream } from '@quire/streams';

/** A separate topic of two partitions for one test, with functions that change it. */
export interface StreamFixture extends AsyncDisposable {
  readonly stream: MessageStream;
  /** Writes messages with a time to the end of a partition. */
  append(partition: number, values: readonly string[], timeMs?: number): Promise<void>;
  addPartition(): Promise<void>;
  /** Deletes the messages before an offset, as retention does. */
  trim(partition: number, beforeOffset: number): Promise<void>;
  deleteTopic(): Promise<void>;
}

/** Opens an empty topic. Each test opens its own, and disposes it. */
export type OpenStreamFixture = () => Promise<StreamFixture>;
