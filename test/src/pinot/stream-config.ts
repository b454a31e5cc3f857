/** A topic of Apache Kafka as a table of Apache Pinot consumes it, from its start. */
export function streamConfigOf(topic: string, broker: string): Readonly<Record<string, string>> {
  return {
    streamType: 'kafka',
    'stream.kafka.topic.name': topic,
    'stream.kafka.broker.list': broker,
    'stream.kafka.consumer.type': 'lowlevel',
    'stream.kafka.consumer.factory.class.name':
      'org.apache.pinot.plugin.stream.kafka40.KafkaConsumerFactory',
    'stream.kafka.decoder.class.name':
      'org.apache.pinot.plugin.inputformat.json.JSONMessageDecoder',
    'stream.kafka.consumer.prop.auto.offset.reset': 'smallest',
    'realtime.segment.flush.threshold.rows': '100000',
    'realtime.segment.flush.threshold.time': '1h',
  };
}
