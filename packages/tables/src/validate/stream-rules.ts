import { isUpsertOn } from './keys.ts';
import { type CheckedTable, placed, repeated, rulesAbout } from './rule.ts';
import { replicationOf } from './segment-rules.ts';
import { isInteger, isSize, periodMs } from './values-at.ts';

const { error, warning } = rulesAbout('streams');

/** Rules about streams. */
export const streamRules = [
  error(
    'STREAM_MISSING',
    'A real-time table has a stream, and so has a streamIngestionConfig.',
    function* ({ config }) {
      const section = config.ingestionConfig?.streamIngestionConfig;
      const path = '/ingestionConfig/streamIngestionConfig/streamConfigMaps';
      if (section !== undefined && (section.streamConfigMaps ?? []).length === 0) {
        yield [path, 'The streamIngestionConfig has no stream.'];
      } else if (config.tableType === 'REALTIME' && streamsOf(config).length === 0) {
        yield [path, 'The real-time table has no stream.'];
      }
    },
  ),
  warning(
    'STREAM_OFFLINE',
    'An offline table has no stream: it would not be read.',
    function* ({ config }) {
      const path = streamsOf(config)[0]?.path;
      if ((config.tableType ?? 'OFFLINE') === 'OFFLINE' && path !== undefined) {
        yield [path, 'The stream of an offline table is not read.'];
      }
    },
  ),
  error(
    'STREAM_TWICE',
    'Streams are in streamIngestionConfig or in tableIndexConfig, not in both.',
    function* ({ config }) {
      const { ingestionConfig, tableIndexConfig } = config;
      if (
        ingestionConfig?.streamIngestionConfig !== undefined &&
        Object.keys(tableIndexConfig?.streamConfigs ?? {}).length > 0
      ) {
        yield ['/tableIndexConfig/streamConfigs', 'There is a streamIngestionConfig as well.'];
      }
    },
  ),
  error(
    'STREAM_TYPE',
    'A stream has a streamType, and all streams of a table have the same.',
    function* ({ config }) {
      const streams = readStreamsOf(config);
      for (const { path, options } of streams) {
        const type = options.get('streamType') ?? '';
        const first = streams[0]?.options.get('streamType') ?? '';
        if (type === '') yield [path, 'The stream has no streamType.'];
        else if (first !== '' && type !== first) {
          yield [path, `The stream is ${type}, the first one ${first}.`];
        }
      }
    },
  ),
  error(
    'STREAM_TOPIC',
    'A stream names its topic, and no two name the same.',
    function* ({ config }) {
      const topics = topicsOf(config);
      for (const [path, topic] of topics) {
        if (topic === undefined) {
          yield [path, 'The stream names no topic: stream.<type>.topic.name.'];
        }
      }
      yield* repeated(
        topics.map(([path, topic = '']) => [path, topic] as const),
        (topic) => `Another stream reads ${topic}.`,
      );
    },
  ),
  warning('STREAM_TOPIC_EMPTY', 'The name of a topic is not empty.', function* ({ config }) {
    for (const [path, topic] of topicsOf(config)) {
      if (topic?.trim() === '') yield [path, 'The topic has an empty name: nothing can be read.'];
    }
  }),
  error(
    'STREAM_FLUSH_TIME',
    'realtime.segment.flush.threshold.time is a period longer than 0, such as 6h.',
    function* ({ config }) {
      for (const { path, options } of readStreamsOf(config)) {
        const time = options.get(`${flush}.time`);
        const isFit =
          time === undefined || (periodMs(time) ?? (/^\+?\d+$/.test(time) ? Number(time) : 0)) > 0;
        if (!isFit) yield [path, `${time} is not a period longer than 0.`];
      }
    },
  ),
  error(
    'STREAM_FLUSH_THRESHOLDS',
    'A segment ends by one of rows, segment.rows and segment.size, not by several.',
    function* ({ config }) {
      for (const { path, options } of readStreamsOf(config)) {
        const set = thresholds.filter(
          ({ name }) => Number.parseFloat(options.get(`${flush}.${name}`) ?? '0') > 0,
        );
        if (set.length > 1) {
          yield [path, `The thresholds ${set.map(({ name }) => name).join(' and ')} are both set.`];
        }
      }
    },
  ),
  error(
    'STREAM_FLUSH_VALUE',
    'rows and segment.rows after which a segment ends are whole numbers, segment.size is a size such as 200M.',
    function* ({ config }) {
      for (const { path, options } of readStreamsOf(config)) {
        for (const { name, holds, expected } of thresholds) {
          const value = options.get(`${flush}.${name}`);
          if (value !== undefined && !holds(value)) {
            yield [path, `${flush}.${name} is ‘${value}’, not ${expected}.`];
          }
        }
      }
    },
  ),
  error(
    'STREAM_DECODER',
    'A stream names its decoder, stream.<type>.decoder.class.name, but for streams of type file.',
    function* ({ config }) {
      for (const { path, options } of readStreamsOf(config)) {
        const type = options.get('streamType') ?? '';
        if (type === 'file' || options.has(`stream.${type}.decoder.class.name`)) continue;
        yield [
          path,
          `The stream has no stream.${type}.decoder.class.name, such as ${jsonDecoder} for JSON.`,
        ];
      }
    },
  ),
  error(
    'STREAM_PROTOBUF',
    'The decoder ProtoBufMessageDecoder has its settings descriptorFile and protoClassName.',
    function* ({ config }) {
      for (const { path, options } of readStreamsOf(config)) {
        const prefix = `stream.${options.get('streamType') ?? ''}.decoder`;
        if (options.get(`${prefix}.class.name`) !== protobufDecoder) continue;
        for (const name of ['descriptorFile', 'protoClassName']) {
          if (!options.has(`${prefix}.prop.${name}`)) {
            yield [path, `The stream has no ${prefix}.prop.${name}.`];
          }
        }
      }
    },
  ),
  error(
    'STREAM_SEVERAL',
    'Several streams of a table end their segments by the same thresholds, without upsert and without pauselessConsumptionEnabled.',
    function* ({ config }) {
      const [first, ...others] = readStreamsOf(config);
      if (first === undefined || others.length === 0) return;
      const path = '/ingestionConfig/streamIngestionConfig/streamConfigMaps';
      if (config.ingestionConfig?.streamIngestionConfig?.pauselessConsumptionEnabled === true) {
        yield [
          path,
          'There are several streams, of which segments cannot be committed without a pause.',
        ];
      }
      if (isUpsertOn(config)) {
        yield [path, 'There are several streams, which upsert does not allow.'];
      }
      const names = [...thresholds.map(({ name }) => name), 'time'].map(
        (name) => `${flush}.${name}`,
      );
      for (const { path: streamPath, options } of others) {
        const name = names.find((each) => options.get(each) !== first.options.get(each));
        if (name !== undefined) yield [streamPath, `${name} is not that of the first stream.`];
      }
    },
  ),
  error(
    'STREAM_PAUSELESS',
    'With pauselessConsumptionEnabled and several replicas, servers download segments from each other: peerSegmentDownloadScheme.',
    function* ({ config }) {
      const section = config.ingestionConfig?.streamIngestionConfig;
      const scheme = config.segmentsConfig?.peerSegmentDownloadScheme ?? '';
      if (
        section?.pauselessConsumptionEnabled === true &&
        replicationOf(config) > 1 &&
        scheme === ''
      ) {
        yield [
          '/segmentsConfig/peerSegmentDownloadScheme',
          'There is no peerSegmentDownloadScheme for downloads between servers.',
        ];
      }
    },
  ),
];

const jsonDecoder = 'org.apache.pinot.plugin.inputformat.json.JSONMessageDecoder';
const protobufDecoder = 'org.apache.pinot.plugin.inputformat.protobuf.ProtoBufMessageDecoder';
const flush = 'realtime.segment.flush.threshold';
const thresholds = [
  { name: 'rows', holds: isInteger, expected: 'a whole number' },
  { name: 'segment.rows', holds: isInteger, expected: 'a whole number' },
  { name: 'segment.size', holds: isSize, expected: 'a size such as 200M' },
] as const;

/** Returns the topic of each stream that is read; undefined if it names none. */
function topicsOf(config: CheckedTable['config']) {
  return readStreamsOf(config).map(({ path, options }) => {
    return [path, options.get(`stream.${options.get('streamType') ?? ''}.topic.name`)] as const;
  });
}

/** Returns the streams that are read: those of a real-time table. */
function readStreamsOf(config: CheckedTable['config']): readonly StreamOfTable[] {
  return config.tableType === 'REALTIME' ? streamsOf(config) : [];
}

/** A stream of a table, and its location in the config. */
export interface StreamOfTable {
  readonly path: string;
  /** The options as text: existing configs write numbers either way. */
  readonly options: ReadonlyMap<string, string>;
}

/** Returns the streams of a table, wherever they are in its config. */
export function streamsOf({
  ingestionConfig,
  tableIndexConfig,
}: CheckedTable['config']): readonly StreamOfTable[] {
  const path = '/ingestionConfig/streamIngestionConfig/streamConfigMaps';
  const old = tableIndexConfig?.streamConfigs ?? {};
  const maps = [
    ...placed(path, ingestionConfig?.streamIngestionConfig?.streamConfigMaps),
    ...(Object.keys(old).length === 0 ? [] : [['/tableIndexConfig/streamConfigs', old] as const]),
  ];
  return maps.map(([path, options]) => ({ path, options: textsOf(options) }));
}

function textsOf(options: Readonly<Record<string, unknown>>): ReadonlyMap<string, string> {
  const isScalar = (value: unknown) =>
    typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
  const scalars = Object.entries(options).filter(([, value]) => isScalar(value));
  return new Map(scalars.map(([name, value]) => [name, String(value)]));
}
