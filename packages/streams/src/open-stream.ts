import type { Clock } from '@quire/core';
import { FileStream } from './file/file-stream.ts';
import type { MessageStream } from './message-stream.ts';
import { parseStreamConfig } from './stream-config.ts';
import { streamInvalid } from './stream-errors.ts';

/** What whoever runs the server lets streams be: a config alone reaches nothing. */
export interface OpenStreamOptions {
  /** The directory of file streams; undefined: there are none. */
  readonly fileDirectory?: string | undefined;
  /** The default is the system's. */
  readonly clock?: Clock | undefined;
}

/**
 * Opens the stream that a config names. It reaches for nothing yet: whether the topic exists shows in the first call.
 *
 * @throws STREAM_INVALID when the config cannot work, or names what the options do not allow
 */
export function openStream(config: Readonly<Record<string, string>>, options: OpenStreamOptions): MessageStream {
  const { topic, kafka } = parseStreamConfig(config);
  if (kafka !== undefined) throw streamInvalid('Streams of Kafka cannot be read yet.');
  return new FileStream({ directory: fileDirectoryOf(options), topic, clock: options.clock });
}

function fileDirectoryOf({ fileDirectory }: OpenStreamOptions): string {
  if (fileDirectory !== undefined) return fileDirectory;
  throw streamInvalid('There are no file streams here: `engine.stream.file.dir` is not set.');
}
