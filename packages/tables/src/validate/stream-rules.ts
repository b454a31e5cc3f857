import { isUpsertOn } from './keys.ts';
import { type CheckedTable, placed, repeated, rulesAbout } from './rule.ts';
import { replicationOf } from './segment-rules.ts';
import { isInteger, isLong, isSize, javaNumber, periodMs } from './values-at.ts';

const { error, warning } = rulesAbout('streams');

/** Rules about streams. */
export const streamRules = [
  error(
    'STREAM_MISSING',
    'A real-time table and a streamIngestionConfig must have a stream.',
    function* ({ config }) {
      const section = config.ingestionConfig?.streamIngestionConfig;
      const path = '/ingestionConfig/streamIngestionConfig/streamConfigMaps';
      if (section !== undefined && (section.streamConfigMaps ?? []).length === 0) {
        yield [path, 'The streamIngestionConfig has no stream: add one to streamConfigMaps.'];
      } else if (config.tableType === 'REALTIME' && streamsOf(config).length === 0) {
        yield [path, 'The real-time table has no stream: add one to streamConfigMaps.'];
      }
    },
  ),
  warning(
    'STREAM_OFFLINE',
    'An offline table should not have a stream, since it is not read.',
    function* ({ config }) {
      const path = streamsOf(config)[0]?.path;
      if ((config.tableType ?? 'OFFLINE') === 'OFFLINE' && path !== undefined) {
        yield [path, 'The stream of an offline table is not read.'];
      }
    },
  ),
  error(
    'STREAM_TWICE',
    'Streams must not be in both streamIngestionConfig and tableIndexConfig.',
    function* ({ config }) {
      const { ingestionConfig, tableIndexConfig } = config;
      if (
        ingestionConfig?.streamIngestionConfig !== undefined &&
        Object.keys(tableIndexConfig?.streamConfigs ?? {}).length > 0
      ) {
        yield [
          '/tableIndexConfig/streamConfigs',
          'streamConfigs cannot be combined with a streamIngestionConfig: remove one of them.',
        ];
      }
    },
  ),
  error(
    'STREAM_TYPE',
    'A stream must have a streamType, and all streams of a table the same one.',
    function* ({ config }) {
      const streams = readStreamsOf(config);
      for (const { path, options } of streams) {
        const type = options.get('streamType') ?? '';
        const first = streams[0]?.options.get('streamType') ?? '';
        if (type === '') yield [path, 'The stream has no streamType.'];
        else if (first !== '' && type !== first) {
          yield [path, `The streamType is ${type}, but ${first} in the first stream.`];
        }
      }
    },
  ),
  error('STREAM_TOPIC', 'Every stream must name a topic of its own.', function* ({ config }) {
    const topics = topicsOf(config);
    for (const [path, topic] of topics) {
      if (topic === undefined) {
        yield [path, 'The stream has no topic: set stream.<type>.topic.name.'];
      }
    }
    yield* repeated(
      topics.map(([path, topic = '']) => [path, topic] as const),
      (topic) => `Another stream already reads the topic ${topic}.`,
    );
  }),
  warning('STREAM_TOPIC_EMPTY', 'The name of a topic should not be empty.', function* ({ config }) {
    for (const [path, topic] of topicsOf(config)) {
      if (topic?.trim() === '') {
        yield [path, 'The topic name is empty, so that nothing can be read.'];
      }
    }
  }),
  error(
    'STREAM_FLUSH_TIME',
    'realtime.segment.flush.threshold.time must be a period longer than 0, such as 6h.',
    function* ({ config }) {
      for (const { path, options } of readStreamsOf(config)) {
        const time = options.get(`${flush}.time`);
        const isFit =
          time === undefined || (periodMs(time) ?? (/^\+?\d+$/.test(time) ? Number(time) : 0)) > 0;
        if (!isFit) {
          yield [path, `${flush}.time is ‘${time}’, not a period longer than 0 such as 6h.`];
        }
      }
    },
  ),
  error(
    'STREAM_FLUSH_THRESHOLDS',
    'Only one of the flush thresholds rows, segment.rows and segment.size may be set, also by their older names.',
    function* ({ config }) {
      for (const { path, options } of readStreamsOf(config)) {
        const set = thresholds
          .map((threshold) => keyOf(threshold, options))
          .filter((key) => Number.parseFloat(options.get(key) ?? '0') > 0);
        if (set.length > 1) {
          yield [path, `Only one of the flush thresholds ${set.join(' and ')} may be set.`];
        }
      }
    },
  ),
  error(
    'STREAM_FLUSH_VALUE',
    'The flush thresholds rows and segment.rows must be whole numbers, and segment.size a size such as 200M, also by their older names.',
    function* ({ config }) {
      for (const { path, options } of readStreamsOf(config)) {
        for (const threshold of thresholds) {
          const key = keyOf(threshold, options);
          const value = options.get(key);
          if (value !== undefined && !threshold.holds(value)) {
            yield [path, `${key} is ‘${value}’, not ${threshold.expected}.`];
          }
        }
      }
    },
  ),
  error(
    'STREAM_OPTION',
    'topic.consumption.rate.limit must be a number, and the thresholds of realtime.segment.offsetAutoReset whole numbers.',
    function* ({ config }) {
      for (const { path, options } of readStreamsOf(config)) {
        for (const { key, holds, expected } of otherOptions) {
          const value = options.get(key);
          if (value !== undefined && !holds(value)) {
            yield [path, `${key} is ‘${value}’, not ${expected}.`];
          }
        }
      }
    },
  ),
  error(
    'STREAM_DECODER',
    'A stream must name its decoder in stream.<type>.decoder.class.name, unless its type is file.',
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
    'The decoder ProtoBufMessageDecoder requires the properties descriptorFile and protoClassName.',
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
    'Several streams of a table must have the same flush thresholds, and cannot be combined with upsert or pauselessConsumptionEnabled.',
    function* ({ config }) {
      const [first, ...others] = readStreamsOf(config);
      if (first === undefined || others.length === 0) return;
      const path = '/ingestionConfig/streamIngestionConfig/streamConfigMaps';
      if (config.ingestionConfig?.streamIngestionConfig?.pauselessConsumptionEnabled === true) {
        yield [path, 'pauselessConsumptionEnabled cannot be combined with several streams.'];
      }
      if (isUpsertOn(config)) {
        yield [path, 'Upsert cannot be combined with several streams.'];
      }
      const names = [...thresholds.map(({ name }) => name), 'time'].map(
        (name) => `${flush}.${name}`,
      );
      for (const { path: streamPath, options } of others) {
        const name = names.find((each) => options.get(each) !== first.options.get(each));
        if (name !== undefined) {
          yield [streamPath, `${name} differs from that of the first stream.`];
        }
      }
    },
  ),
  error(
    'STREAM_PAUSELESS',
    'pauselessConsumptionEnabled with several replicas requires a peerSegmentDownloadScheme, since servers download segments from each other.',
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
          'pauselessConsumptionEnabled with several replicas requires a peerSegmentDownloadScheme.',
        ];
      }
    },
  ),
];

const jsonDecoder = 'org.apache.pinot.plugin.inputformat.json.JSONMessageDecoder';
const protobufDecoder = 'org.apache.pinot.plugin.inputformat.protobuf.ProtoBufMessageDecoder';
const flush = 'realtime.segment.flush.threshold';
/** The thresholds, some with an older name that counts if the newer one is missing. */
const thresholds = [
  { name: 'rows', older: `${flush}.size`, holds: isInteger, expected: 'a whole number' },
  { name: 'segment.rows', holds: isInteger, expected: 'a whole number' },
  {
    name: 'segment.size',
    older: 'realtime.segment.flush.desired.size',
    holds: isSize,
    expected: 'a size such as 200M',
  },
] as const;
const autoReset = 'realtime.segment.offsetAutoReset';
const otherOptions = [
  {
    key: 'topic.consumption.rate.limit',
    holds: (rate: string) => !Number.isNaN(javaNumber(rate)),
    expected: 'a number',
  },
  { key: `${autoReset}.offsetThreshold`, holds: isInteger, expected: 'a whole number' },
  {
    key: `${autoReset}.timeThresholdSeconds`,
    holds: isLong,
    expected: 'a whole number',
  },
] as const;

/** Returns the name by which a stream sets a threshold, if it does. */
function keyOf(
  { name, ...threshold }: (typeof thresholds)[number],
  options: ReadonlyMap<string, string>,
): string {
  const key = `${flush}.${name}`;
  return options.has(key) || !('older' in threshold) ? key : threshold.older;
}

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
  /** The options as text: existing configs contain numbers as text as well. */
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
