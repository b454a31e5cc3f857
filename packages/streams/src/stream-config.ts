import { QuireError } from '@quire/core';
import { ConfigKeys } from './config-keys.ts';
import { type KafkaConfig, readKafkaConfig } from './kafka/kafka-config.ts';
import { parseStreamStart, type StreamStart } from './stream-start.ts';
import { isTopicName } from './topic-name.ts';

const streamTypes = ['file', 'kafka'] as const;

/** The parsed config of a stream. */
export interface StreamConfig {
  readonly topic: string;
  /** The start position in a partition of which nothing has been read yet. */
  readonly start: StreamStart;
  /** The connection to Kafka; undefined for a file stream. */
  readonly kafka: KafkaConfig | undefined;
}

/**
 * Matches the keys of a stream config that concern its table: when segments are committed, and
 * whether consumption is paused.
 */
const tableKeyPattern =
  /^(?:realtime\.|segment\.|topic\.consumption\.|stream\.[^.]+\.(?:topic\.consumption|consumption)\.)/;

/**
 * Parses a stream config: the keys of Apache Pinot's `streamConfigMaps`, for the stream types
 * `kafka` and `file`. Keys that concern the table are left to the table server.
 *
 * @throws STREAM_INVALID when it is not valid; `findings` has all problems, with paths within the
 *   config
 */
export function parseStreamConfig(config: Readonly<Record<string, string>>): StreamConfig {
  const keys = new ConfigKeys(config);
  const type = keys.readChoice(streamTypes, 'streamType');
  // Without a type nothing else can be checked.
  if (type === undefined) {
    if (keys.findings.length === 0) {
      keys.refuse('streamType', '`streamType` is missing: expected kafka or file.');
    }
    throw invalidConfig(keys);
  }
  const prefix = `stream.${type}`;
  const topic = readTopic(keys, prefix);
  const start = readStart(keys, prefix);
  readDecoder(keys, prefix);
  checkConsumer(keys, prefix);
  const kafka = type === 'kafka' ? readKafkaConfig(keys) : undefined;
  keys.refuseUnknown(
    (key) => tableKeyPattern.test(key) || key.startsWith(`${prefix}.decoder.prop.`),
    `A stream of type ${type}`,
  );
  if (keys.findings.length > 0) throw invalidConfig(keys);
  return { topic, start, kafka };
}

function readTopic(keys: ConfigKeys, prefix: string): string {
  const key = `${prefix}.topic.name`;
  const topic = keys.read(key);
  if (topic === undefined) keys.refuse(key, `\`${key}\` is missing: expected the name of a topic.`);
  else if (!isTopicName(topic)) {
    keys.refuse(
      key,
      `\`${key}\` is ${JSON.stringify(topic)}: expected up to 249 letters, digits, dots, underscores and hyphens.`,
    );
  }
  return topic ?? '';
}

function readStart(keys: ConfigKeys, prefix: string): StreamStart {
  const key = `${prefix}.consumer.prop.auto.offset.reset`;
  const text = keys.readAny(key, 'auto.offset.reset');
  if (text === undefined) return { at: 'largest' };
  const start = parseStreamStart(text);
  if (start === undefined) {
    keys.refuse(
      key,
      `\`${key}\` is ${JSON.stringify(text)}: expected smallest, largest, a time such as 2026-01-31T12:00:00Z or an age such as 2d.`,
    );
  }
  return start ?? { at: 'largest' };
}

function readDecoder(keys: ConfigKeys, prefix: string): void {
  const key = `${prefix}.decoder.class.name`;
  const name = keys.read(key);
  if (name !== undefined && !isSupportedDecoder(name)) {
    keys.refuse(
      key,
      `\`${key}\` is ${JSON.stringify(name)}, which is not supported: expected JSONMessageDecoder or KafkaJSONMessageDecoder, for messages that are JSON objects.`,
    );
  }
}

/** Checks Apache Pinot's consumer type: only the low-level consumer is supported. */
function checkConsumer(keys: ConfigKeys, prefix: string): void {
  keys.readChoice(['lowlevel', 'simple', 'LLC'], `${prefix}.consumer.type`);
  keys.read(`${prefix}.consumer.factory.class.name`);
  keys.read(`${prefix}.fetch.timeout.millis`);
  keys.read(`${prefix}.connection.timeout.millis`);
  keys.read(`${prefix}.metadata.populate`);
}

function invalidConfig({ findings }: ConfigKeys): QuireError {
  const [first, ...others] = findings;
  const more = others.length === 0 ? '' : ` (and ${others.length} more)`;
  return new QuireError(
    'STREAM_INVALID',
    `The stream's config cannot be used. ${first?.message ?? ''}${more}`,
    { findings },
  );
}

/** Classes of Apache Pinot that decode JSON, by the last part of their names. */
const jsonDecoders = new Set(['json', 'JSONMessageDecoder', 'KafkaJSONMessageDecoder']);

/** Reports whether a decoder's name, with or without its package, is a JSON decoder. */
function isSupportedDecoder(name: string): boolean {
  return jsonDecoders.has(name.slice(name.lastIndexOf('.') + 1));
}
