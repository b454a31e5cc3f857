import { pushTypes, timeUnits } from '../model/member.ts';
import type { CheckedTable, TableRule } from './rule.ts';
import { count, isCount, oneOfWords, period, valueRule } from './value-rule.ts';

const partitionFunctions = ['Modulo', 'Murmur', 'Murmur2', 'Murmur3', 'HashCode', 'ByteArray', 'BoundedColumnValue', 'Fnv'];
const completionModes = ['DOWNLOAD', 'DEFAULT'];

/** Rules about the time column. */
export const timeColumnRules: readonly TableRule[] = [
  {
    code: 'TIME_COLUMN_MISSING',
    subject: 'time column',
    severity: 'error',
    description: 'A real-time table has a time column.',
    *check({ config }) {
      if (config.tableType === 'REALTIME' && timeColumnOf(config) === '') {
        yield { path: '/segmentsConfig/timeColumnName', message: 'A real-time table needs a time column.' };
      }
    },
  },
  {
    code: 'TIME_COLUMN_UNKNOWN',
    subject: 'time column',
    severity: 'error',
    description: 'The time column is one of the dateTimeFieldSpecs of the schema.',
    *check({ config, schema }) {
      const name = timeColumnOf(config);
      if (name === '' || schema === undefined) return;
      const column = schema.columns.find((candidate) => candidate.name === name);
      if (column === undefined) yield { path: '/segmentsConfig/timeColumnName', message: `The schema has no column ${name}.` };
      else if (column.kind !== 'dateTime' && column.kind !== 'time') {
        yield {
          path: '/segmentsConfig/timeColumnName',
          message: `${name} is a ${column.kind}, not one of the dateTimeFieldSpecs.`,
        };
      }
    },
  },
  {
    code: 'HYBRID_TIME_COLUMN',
    subject: 'time column',
    severity: 'error',
    description: 'Both halves of a table that is offline and real-time have the same time column, and have one.',
    *check({ config, cluster: { otherConfig } }) {
      if (otherConfig === undefined) return;
      const [own, other] = [timeColumnOf(config), timeColumnOf(otherConfig)];
      if (own === '' || own !== other) {
        const message = `The time column is ${own || 'missing'}, that of the other half ${other || 'missing'}.`;
        yield { path: '/segmentsConfig/timeColumnName', message };
      }
    },
  },
];

/** Rules about how segments are kept and copied. */
export const segmentRules: readonly TableRule[] = [
  valueRule({
    code: 'RETENTION_UNIT',
    subject: 'segments',
    description: `retentionTimeUnit is ${timeUnits.join(', ')}, in any case.`,
    values: [
      {
        at: ['/segmentsConfig/retentionTimeUnit'],
        holds: oneOfWords(timeUnits).holds,
        message: (unit) => `${unit} is not a unit of time: expected ${timeUnits.join(', ')}.`,
      },
    ],
  }),
  {
    code: 'RETENTION_VALUE',
    subject: 'segments',
    severity: 'warning',
    description: 'retentionTimeValue is a whole number of at least 1, and comes with retentionTimeUnit.',
    *check({ config: { segmentsConfig } }) {
      const { retentionTimeUnit: unit = '', retentionTimeValue: value = '' } = segmentsConfig ?? {};
      const path = '/segmentsConfig/retentionTimeValue';
      if (value !== '' && !isCount(value)) yield { path, message: `‘${value}’ is not a whole number of at least 1.` };
      if (unit === '' && value !== '') yield { path, message: `retentionTimeValue is ${value}, but has no unit.` };
      if (unit !== '' && value === '') yield { path, message: `retentionTimeUnit is ${unit}, but has no value.` };
    },
  },
  valueRule({
    code: 'DELETED_SEGMENTS_PERIOD',
    subject: 'segments',
    description: 'deletedSegmentsRetentionPeriod is a period such as 7d.',
    values: [{ at: ['/segmentsConfig/deletedSegmentsRetentionPeriod'], ...period }],
  }),
  valueRule({
    code: 'PUSH_TYPE',
    subject: 'segments',
    description: 'Types of pushes are APPEND and REFRESH.',
    values: [
      {
        at: ['/segmentsConfig/segmentPushType', '/ingestionConfig/batchIngestionConfig/segmentIngestionType'],
        ...oneOfWords(pushTypes),
      },
    ],
  }),
  valueRule({
    code: 'REPLICATION_NUMBER',
    subject: 'segments',
    description: 'replication and replicasPerPartition are whole numbers of at least 1.',
    values: [{ at: ['/segmentsConfig/replication', '/segmentsConfig/replicasPerPartition'], ...count }],
  }),
  {
    code: 'REPLICATION_MINIMUM',
    subject: 'segments',
    severity: 'error',
    description: 'replication is at least the minimum of the cluster.',
    *check({ config, cluster: { replicationMin = 1 } }) {
      const replication = replicationOf(config);
      if (replication < replicationMin) {
        yield {
          path: '/segmentsConfig/replication',
          message: `${replication} is less than ${replicationMin}, the minimum here.`,
        };
      }
    },
  },
  {
    code: 'PEER_DOWNLOAD_SCHEME',
    subject: 'segments',
    severity: 'error',
    description: 'peerSegmentDownloadScheme is http or https, and needs two copies of each segment.',
    *check({ config }) {
      const scheme = config.segmentsConfig?.peerSegmentDownloadScheme ?? '';
      const path = '/segmentsConfig/peerSegmentDownloadScheme';
      if (scheme === '') return;
      if (!/^https?$/i.test(scheme)) yield { path, message: `${scheme} is neither http nor https.` };
      if (replicationOf(config) < 2) {
        yield { path, message: 'Servers can copy segments from each other only if there are two copies.' };
      }
    },
  },
  {
    code: 'DIM_TABLE',
    subject: 'segments',
    severity: 'error',
    description: 'A dimension table is offline, has a primary key, and is pushed by REFRESH.',
    *check({ config, schema }) {
      if (config.isDimTable !== true) return;
      if (config.tableType === 'REALTIME') yield { path: '/isDimTable', message: 'A dimension table is offline.' };
      if (schema !== undefined && (schema.schema.primaryKeyColumns ?? []).length === 0) {
        yield { path: '/isDimTable', message: 'The schema of a dimension table needs primaryKeyColumns.' };
      }
      const type = config.ingestionConfig?.batchIngestionConfig?.segmentIngestionType ?? config.segmentsConfig?.segmentPushType;
      if (type?.toUpperCase() !== 'REFRESH') {
        const path = '/ingestionConfig/batchIngestionConfig/segmentIngestionType';
        yield { path, message: `A dimension table is pushed by REFRESH, not by ${type ?? 'APPEND'}.` };
      }
    },
  },
  valueRule({
    code: 'COLUMN_PARTITION',
    subject: 'segments',
    description: `A partitioned column has a functionName (${partitionFunctions.join(', ')}) and a numPartitions of at least 1.`,
    values: [
      {
        at: ['/tableIndexConfig/segmentPartitionConfig/columnPartitionMap/*/functionName'],
        isRequired: true,
        ...oneOfWords(partitionFunctions),
      },
      {
        at: ['/tableIndexConfig/segmentPartitionConfig/columnPartitionMap/*/numPartitions'],
        isRequired: true,
        holds: (partitions) => Number(partitions) >= 1,
        message: (_, column) => `${column} has no partitions.`,
      },
    ],
  }),
  {
    code: 'REPLICA_GROUP_STRATEGY',
    subject: 'segments',
    severity: 'error',
    description:
      'A replicaGroupStrategyConfig has a numInstancesPerPartition of at least 1, and a partitionColumn of the schema if any.',
    *check({ config, schema }) {
      const strategy = config.segmentsConfig?.replicaGroupStrategyConfig;
      if (strategy === undefined) return;
      const path = '/segmentsConfig/replicaGroupStrategyConfig';
      if ((strategy.numInstancesPerPartition ?? 0) < 1) {
        yield { path: `${path}/numInstancesPerPartition`, message: 'No server would hold a partition.' };
      }
      const column = strategy.partitionColumn ?? '';
      if (column !== '' && schema !== undefined && !schema.columns.some(({ name }) => name === column)) {
        yield { path: `${path}/partitionColumn`, message: `The schema has no column ${column}.` };
      }
    },
  },
  valueRule({
    code: 'COMPLETION_MODE',
    subject: 'segments',
    description: `A completionConfig has a completionMode: ${completionModes.join(', ')}.`,
    values: [{ at: ['/segmentsConfig/completionConfig/completionMode'], isRequired: true, ...oneOfWords(completionModes) }],
  }),
];

export function timeColumnOf(config: CheckedTable['config']): string {
  return config.segmentsConfig?.timeColumnName ?? '';
}

function replicationOf({ segmentsConfig }: CheckedTable['config']): number {
  const text = segmentsConfig?.replication ?? segmentsConfig?.replicasPerPartition ?? '1';
  return isCount(text) ? Number(text) : 1;
}
