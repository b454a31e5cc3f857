import { isUpsertOn } from './keys.ts';
import { type CheckedTable, repeated, type TableRule } from './rule.ts';
import { replicationOf } from './segment-rules.ts';
import { isInteger, periodMs } from './value-rule.ts';

/** Rules about streams. */
export const streamRules: readonly TableRule[] = [
  {
    code: 'STREAM_MISSING',
    subject: 'streams',
    severity: 'error',
    description: 'A real-time table has a stream, and so has a streamIngestionConfig.',
    *check({ config }) {
      const section = config.ingestionConfig?.streamIngestionConfig;
      const path = '/ingestionConfig/streamIngestionConfig/streamConfigMaps';
      if (section !== undefined && (section.streamConfigMaps ?? []).length === 0) {
        yield { path, message: 'The streamIngestionConfig has no stream.' };
      } else if (config.tableType === 'REALTIME' && streamsOf(config).length === 0) {
        yield { path, message: 'The real-time table has no stream.' };
      }
    },
  },
  {
    code: 'STREAM_OFFLINE',
    subject: 'streams',
    severity: 'warning',
    description: 'An offline table has no stream: nothing reads it.',
    *check({ config }) {
      const path = streamsOf(config)[0]?.path;
      if ((config.tableType ?? 'OFFLINE') === 'OFFLINE' && path !== undefined) {
        yield { path, message: 'Nothing reads the stream.' };
      }
    },
  },
  {
    code: 'STREAM_TWICE',
    subject: 'streams',
    severity: 'error',
    description: 'Streams are in streamIngestionConfig or in tableIndexConfig, not in both.',
    *check({ config }) {
      const { ingestionConfig, tableIndexConfig } = config;
      if (ingestionConfig?.streamIngestionConfig !== undefined && Object.keys(tableIndexConfig?.streamConfigs ?? {}).length > 0) {
        yield { path: '/tableIndexConfig/streamConfigs', message: 'There is a streamIngestionConfig as well.' };
      }
    },
  },
  {
    code: 'STREAM_TYPE',
    subject: 'streams',
    severity: 'error',
    description: 'A stream says its streamType, and all streams of a table are of the same.',
    *check({ config }) {
      const streams = readStreamsOf(config);
      for (const { path, options } of streams) {
        const type = options.get('streamType') ?? '';
        const first = streams[0]?.options.get('streamType') ?? '';
        if (type === '') yield { path, message: 'The stream has no streamType.' };
        else if (first !== '' && type !== first) yield { path, message: `The stream is ${type}, the first one ${first}.` };
      }
    },
  },
  {
    code: 'STREAM_TOPIC',
    subject: 'streams',
    severity: 'error',
    description: 'A stream names its topic, and no two name the same.',
    *check({ config }) {
      const streams = readStreamsOf(config);
      const topics = streams.map(({ options }) => options.get(`stream.${options.get('streamType') ?? ''}.topic.name`) ?? '');
      for (const [index, topic] of topics.entries()) {
        if (topic === '') {
          yield { path: streams[index]?.path ?? '', message: 'The stream names no topic: stream.<type>.topic.name.' };
        }
      }
      for (const [topic, index] of repeated(topics)) {
        yield { path: streams[index]?.path ?? '', message: `Another stream reads ${topic}.` };
      }
    },
  },
  {
    code: 'STREAM_FLUSH_TIME',
    subject: 'streams',
    severity: 'error',
    description: 'realtime.segment.flush.threshold.time is a period of more than 0, such as 6h.',
    *check({ config }) {
      for (const { path, options } of readStreamsOf(config)) {
        const time = options.get('realtime.segment.flush.threshold.time');
        const isFit = time === undefined || (periodMs(time) ?? (/^\+?\d+$/.test(time) ? Number(time) : 0)) > 0;
        if (!isFit) yield { path, message: `${time} is not a period of more than 0.` };
      }
    },
  },
  {
    code: 'STREAM_FLUSH_THRESHOLDS',
    subject: 'streams',
    severity: 'error',
    description: 'A segment ends by one of rows, segment.rows and segment.size, not by several.',
    *check({ config }) {
      for (const { path, options } of readStreamsOf(config)) {
        const set = thresholds.filter(({ name }) => Number.parseFloat(options.get(`${flush}.${name}`) ?? '0') > 0);
        if (set.length > 1) yield { path, message: `The thresholds ${set.map(({ name }) => name).join(' and ')} are both set.` };
      }
    },
  },
  {
    code: 'STREAM_FLUSH_VALUE',
    subject: 'streams',
    severity: 'error',
    description: 'rows and segment.rows after which a segment ends are whole numbers, segment.size is a size such as 200M.',
    *check({ config }) {
      for (const { path, options } of readStreamsOf(config)) {
        for (const { name, holds, expected } of thresholds) {
          const value = options.get(`${flush}.${name}`);
          if (value !== undefined && !holds(value)) yield { path, message: `${flush}.${name} is ‘${value}’, not ${expected}.` };
        }
      }
    },
  },
  {
    code: 'STREAM_DECODER',
    subject: 'streams',
    severity: 'warning',
    description: 'A stream names its decoder, stream.<type>.decoder.class.name: Apache Pinot refuses one that does not.',
    *check({ config }) {
      for (const { path, options } of readStreamsOf(config)) {
        const type = options.get('streamType') ?? '';
        if (type === 'file' || options.has(`stream.${type}.decoder.class.name`)) continue;
        yield { path, message: `The stream has no stream.${type}.decoder.class.name: messages are read as JSON.` };
      }
    },
  },
  {
    code: 'STREAM_SEVERAL',
    subject: 'streams',
    severity: 'error',
    description:
      'Several streams of a table end their segments by the same thresholds, without upsert and without pauselessConsumptionEnabled.',
    *check({ config }) {
      const [first, ...others] = readStreamsOf(config);
      if (first === undefined || others.length === 0) return;
      const path = '/ingestionConfig/streamIngestionConfig/streamConfigMaps';
      if (config.ingestionConfig?.streamIngestionConfig?.pauselessConsumptionEnabled === true) {
        yield { path, message: 'There are several streams, of which segments cannot be committed without a pause.' };
      }
      if (isUpsertOn(config)) yield { path, message: 'There are several streams, which upsert does not allow.' };
      const names = [...thresholds.map(({ name }) => name), 'time'].map((name) => `${flush}.${name}`);
      for (const { path: streamPath, options } of others) {
        const name = names.find((each) => options.get(each) !== first.options.get(each));
        if (name !== undefined) yield { path: streamPath, message: `${name} is not that of the first stream.` };
      }
    },
  },
  {
    code: 'STREAM_PAUSELESS',
    subject: 'streams',
    severity: 'error',
    description:
      'With pauselessConsumptionEnabled and several replicas, servers take segments from each other: peerSegmentDownloadScheme.',
    *check({ config }) {
      const section = config.ingestionConfig?.streamIngestionConfig;
      const scheme = config.segmentsConfig?.peerSegmentDownloadScheme ?? '';
      if (section?.pauselessConsumptionEnabled === true && replicationOf(config) > 1 && scheme === '') {
        yield {
          path: '/segmentsConfig/peerSegmentDownloadScheme',
          message: 'Nothing says how servers take segments from each other.',
        };
      }
    },
  },
];

const flush = 'realtime.segment.flush.threshold';
const thresholds = [
  { name: 'rows', holds: isInteger, expected: 'a whole number' },
  { name: 'segment.rows', holds: isInteger, expected: 'a whole number' },
  { name: 'segment.size', holds: (value: string) => /^\d+(\.\d+)?[KMGTP]?B?$/i.test(value), expected: 'a size such as 200M' },
] as const;

/** The streams that are read: those of a real-time table. */
function readStreamsOf(config: CheckedTable['config']): readonly StreamOfTable[] {
  return config.tableType === 'REALTIME' ? streamsOf(config) : [];
}

/** A stream of a table, and where its config has it. */
export interface StreamOfTable {
  readonly path: string;
  /** Options as text: configs in use write numbers either way. */
  readonly options: ReadonlyMap<string, string>;
}

/** The streams of a table, wherever its config has them. */
export function streamsOf({ ingestionConfig, tableIndexConfig }: CheckedTable['config']): readonly StreamOfTable[] {
  const maps = ingestionConfig?.streamIngestionConfig?.streamConfigMaps ?? [];
  const listed = maps.map((options, index) => {
    return { path: `/ingestionConfig/streamIngestionConfig/streamConfigMaps/${index}`, options: textsOf(options) };
  });
  const old = tableIndexConfig?.streamConfigs ?? {};
  return Object.keys(old).length === 0 ? listed : [...listed, { path: '/tableIndexConfig/streamConfigs', options: textsOf(old) }];
}

function textsOf(options: Readonly<Record<string, unknown>>): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(options).flatMap(([name, value]) =>
      typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
        ? [[name, String(value)] as const]
        : [],
    ),
  );
}
