import { brokerPatterns } from '../list-kind.ts';
import { path } from '../path-kind.ts';
import { optionalSetting } from '../setting-row.ts';

/** Which streams tables and previews may read. */
export const streams = {
  fileDirectory: optionalSetting({
    key: 'engine.stream.file.dir',
    kind: path,
    meaning:
      'The directory of file streams: `<topic>/<partition>.jsonl` in it, one JSON object a line. Without it there are no file streams.',
  }),
  kafkaBrokers: optionalSetting({
    key: 'engine.stream.kafka.brokers',
    kind: brokerPatterns,
    live: true,
    meaning:
      'The Kafka brokers that the configs of streams may name: `host:port`, `host:*` or `*` for all. Anyone who may make tables can have the ' +
      'server call them. Without it there are no streams of Kafka.',
  }),
};
