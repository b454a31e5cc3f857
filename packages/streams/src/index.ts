export { FileProducer, type FileProducerOptions } from './file/file-producer.ts';
export { FileStream, type FileStreamOptions } from './file/file-stream.ts';
export { tryLockFile } from './file/lock-file.ts';
export type { KafkaBroker, KafkaConfig, KafkaSasl, KafkaTls } from './kafka/kafka-config.ts';
export { LateStream } from './late-stream.ts';
export {
  type DecodedMessage,
  type DecodedRow,
  decodeJson,
  type DecodeOptions,
  type MessageDecoder,
} from './message-decoder.ts';
export type { MessageProducer, NewMessage } from './message-producer.ts';
export type {
  FetchedMessages,
  FetchLimits,
  MessageStream,
  PartitionOffsets,
  StreamMessage,
} from './message-stream.ts';
export { openProducer, openStream, type OpenStreamOptions } from './open-stream.ts';
export { parseStreamConfig, type StreamConfig } from './stream-config.ts';
export { findStartOffset, parseStreamStart, type StreamStart } from './stream-start.ts';
