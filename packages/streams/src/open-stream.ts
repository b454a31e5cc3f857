import type { Clock } from '@quire/core';
import { FileStream } from './file/file-stream.ts';
import { FileProducer } from './file/file-producer.ts';
import { describeTopic, type KafkaConfig } from './kafka/kafka-config.ts';
import { LateStream } from './late-stream.ts';
import type { MessageProducer } from './message-producer.ts';
import type { MessageStream } from './message-stream.ts';
import { parseStreamConfig, type StreamConfig } from './stream-config.ts';
import { streamInvalid } from './stream-errors.ts';

/**
 * The streams that the operator allows: a config, which may be from a request, grants no access by
 * itself.
 */
export interface OpenStreamOptions {
  /** The directory of file streams; undefined: there are none. */
  readonly fileDirectory?: string | undefined;
  /** Allowed brokers, as `host:port` or `host:*`; `*` allows any. Default: none. */
  readonly kafkaBrokers?: readonly string[] | undefined;
  /** The clock; default: the system's. */
  readonly clock?: Clock | undefined;
}

/**
 * Opens the stream of a config. It does not connect yet: the first call reports a missing topic.
 *
 * @throws STREAM_INVALID when the config is not valid, or names a stream that is not allowed
 */
export function openStream(
  config: Readonly<Record<string, string>>,
  options: OpenStreamOptions,
): MessageStream {
  const { topic, kafka } = parseAllowed(config, options);
  if (kafka !== undefined) {
    return new LateStream(describeTopic(topic, kafka), async () => {
      const { KafkaStream } = await import('./kafka/kafka-stream.ts');
      return new KafkaStream({ topic, config: kafka, clock: options.clock });
    });
  }
  return new FileStream({ directory: fileDirectoryOf(options), topic, clock: options.clock });
}

/**
 * Opens a producer for the stream of a config. A missing file topic is created.
 *
 * @throws STREAM_INVALID when the config is not valid, or names a stream that is not allowed
 * @throws STREAM_UNAVAILABLE when the directory of a file topic is not writable
 */
export async function openProducer(
  config: Readonly<Record<string, string>>,
  options: OpenStreamOptions & { readonly partitionCount?: number | undefined },
): Promise<MessageProducer> {
  const { topic, kafka } = parseAllowed(config, options);
  if (kafka !== undefined) {
    const { KafkaProducer } = await import('./kafka/kafka-producer.ts');
    return new KafkaProducer({ topic, config: kafka });
  }
  const { clock, partitionCount } = options;
  return await FileProducer.open({
    directory: fileDirectoryOf(options),
    topic,
    clock,
    partitionCount,
  });
}

function parseAllowed(
  config: Readonly<Record<string, string>>,
  { kafkaBrokers = [] }: OpenStreamOptions,
): StreamConfig {
  const parsed = parseStreamConfig(config);
  if (parsed.kafka !== undefined) assertAllowed(parsed.kafka, kafkaBrokers);
  return parsed;
}

function assertAllowed({ brokers }: KafkaConfig, allowed: readonly string[]): void {
  const known = new Set(allowed.map((each) => each.toLowerCase()));
  for (const { host, port } of brokers) {
    const name = (host.includes(':') ? `[${host}]` : host).toLowerCase();
    if (['*', `${name}:*`, `${name}:${port}`].some((each) => known.has(each))) continue;
    throw streamInvalid(
      `The broker ${name}:${port} is not allowed: \`engine.stream.kafka.brokers\` does not list it.`,
    );
  }
}

function fileDirectoryOf({ fileDirectory }: OpenStreamOptions): string {
  if (fileDirectory !== undefined) return fileDirectory;
  throw streamInvalid('File streams are disabled: `engine.stream.file.dir` is not set.');
}
