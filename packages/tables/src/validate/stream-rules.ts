import { type CheckedTable, repeated, type TableRule } from './rule.ts';
import { isPeriod } from './value-rule.ts';

/** Rules about streams. */
export const streamRules: readonly TableRule[] = [
  {
    code: 'STREAM_MISSING',
    subject: 'streams',
    severity: 'error',
    description: 'A real-time table has a stream.',
    *check({ config }) {
      if (config.tableType === 'REALTIME' && streamsOf(config).length === 0) {
        yield { path: '/ingestionConfig/streamIngestionConfig/streamConfigMaps', message: 'The real-time table has no stream.' };
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
      const sections = new Set(streamsOf(config).map(({ path }) => path.split('/')[1]));
      if (sections.size > 1) {
        yield { path: '/tableIndexConfig/streamConfigs', message: 'There are streams in streamIngestionConfig as well.' };
      }
    },
  },
  {
    code: 'STREAM_TYPE',
    subject: 'streams',
    severity: 'error',
    description: 'A stream says its streamType, and all streams of a table are of the same.',
    *check({ config }) {
      const streams = streamsOf(config);
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
      const streams = streamsOf(config);
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
      for (const { path, options } of streamsOf(config)) {
        const time = options.get('realtime.segment.flush.threshold.time');
        if (time !== undefined && !isPeriod(time) && !/^[1-9]\d*$/.test(time)) {
          yield { path, message: `${time} is not a period of more than 0.` };
        }
      }
    },
  },
  {
    code: 'STREAM_FLUSH_THRESHOLDS',
    subject: 'streams',
    severity: 'error',
    description: 'A segment ends by one of rows, segment.rows and segment.size, not by several.',
    *check({ config }) {
      for (const { path, options } of streamsOf(config)) {
        const set = ['rows', 'segment.rows', 'segment.size'].filter((threshold) => {
          const value = options.get(`realtime.segment.flush.threshold.${threshold}`);
          return value !== undefined && !/^(0|-1)$/.test(value);
        });
        if (set.length > 1) yield { path, message: `The thresholds ${set.join(' and ')} are both set.` };
      }
    },
  },
];

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
