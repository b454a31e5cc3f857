export type { KafkaBroker, KafkaConfig, KafkaSasl, KafkaTls } from './kafka-config.ts';
export { KafkaProducer } from './kafka-producer.ts';
export { KafkaStream, type KafkaStreamOptions } from './kafka-stream.ts';
