import { pushTypes, timeUnits } from '../model/member.ts';
import type { CheckedTable, TableRule } from './rule.ts';
import { isCount, isInteger, oneOfWords, period, valueRule } from './value-rule.ts';

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
  valueRule({
    code: 'TIME_TYPE',
    subject: 'segments',
    description: `timeType is ${timeUnits.join(', ')}, in any case.`,
    values: [{ at: ['/segmentsConfig/timeType'], ...oneOfWords(timeUnits) }],
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
    severity: 'warning',
    description: 'deletedSegmentsRetentionPeriod is a period such as 7d.',
    values: [{ at: ['/segmentsConfig/deletedSegmentsRetentionPeriod'], ...period }],
  }),
  {
    code: 'PUSH_TYPE',
    subject: 'segments',
    severity: 'error',
    description: 'Files of an offline table are pushed by APPEND or REFRESH.',
    *check({ config }) {
      const path = '/ingestionConfig/batchIngestionConfig/segmentIngestionType';
      const newer = config.ingestionConfig?.batchIngestionConfig?.segmentIngestionType;
      const type = newer ?? config.segmentsConfig?.segmentPushType ?? '';
      if (config.tableType === 'REALTIME' || type === '' || oneOfWords(pushTypes).holds(type)) return;
      yield {
        path: newer === undefined ? '/segmentsConfig/segmentPushType' : path,
        message: oneOfWords(pushTypes).message(type, ''),
      };
    },
  },
  {
    code: 'REPLICATION_NUMBER',
    subject: 'segments',
    severity: 'error',
    description: 'replication, for which replicasPerPartition stands in a real-time table, is a whole number.',
    *check({ config: { tableType, segmentsConfig } }) {
      const member =
        tableType === 'REALTIME' && segmentsConfig?.replicasPerPartition !== undefined ? 'replicasPerPartition' : 'replication';
      const value = segmentsConfig?.[member];
      if (value !== undefined && !isInteger(value)) {
        yield { path: `/segmentsConfig/${member}`, message: `‘${value}’ is not a whole number.` };
      }
    },
  },
  {
    code: 'REPLICATION_MINIMUM',
    subject: 'segments',
    severity: 'warning',
    description: 'replication is at least the minimum of the cluster: less is raised to it.',
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
      const scheme = config.segmentsConfig?.peerSegmentDownloadScheme;
      const path = '/segmentsConfig/peerSegmentDownloadScheme';
      if (scheme === undefined) return;
      if (!/^https?$/i.test(scheme)) yield { path, message: `‘${scheme}’ is neither http nor https.` };
      if (replicationOf(config) < 2) {
        yield { path, message: 'Servers can copy segments from each other only if there are two copies.' };
      }
    },
  },
  {
    code: 'DIM_TABLE',
    subject: 'segments',
    severity: 'error',
    description: 'A dimension table is offline, has a primary key, and is pushed by REFRESH where it has an ingestionConfig.',
    *check({ config, schema }) {
      if (config.isDimTable !== true) return;
      if (config.tableType === 'REALTIME') yield { path: '/isDimTable', message: 'A dimension table is offline.' };
      if (schema !== undefined && (schema.schema.primaryKeyColumns ?? []).length === 0) {
        yield { path: '/isDimTable', message: 'The schema of a dimension table needs primaryKeyColumns.' };
      }
      const type = config.ingestionConfig?.batchIngestionConfig?.segmentIngestionType;
      if (config.ingestionConfig !== undefined && type?.toUpperCase() !== 'REFRESH') {
        const path = '/ingestionConfig/batchIngestionConfig/segmentIngestionType';
        yield { path, message: `A dimension table is pushed by REFRESH, not by ${type ?? 'APPEND'}.` };
      }
    },
  },
  {
    code: 'DIM_TABLE_PUSH',
    subject: 'segments',
    severity: 'warning',
    description: 'A dimension table says that it is pushed by REFRESH: its rows are replaced as a whole.',
    *check({ config }) {
      if (config.isDimTable === true && config.ingestionConfig === undefined) {
        yield { path: '/isDimTable', message: 'The table has no batchIngestionConfig with the segmentIngestionType REFRESH.' };
      }
    },
  },
  valueRule({
    code: 'COLUMN_PARTITION',
    subject: 'segments',
    description: 'A partitioned column has a numPartitions of at least 1.',
    values: [
      {
        at: ['/tableIndexConfig/segmentPartitionConfig/columnPartitionMap/*/numPartitions'],
        isRequired: true,
        holds: (partitions) => Number(partitions) >= 1,
        message: (_, column) => `${column} has no partitions.`,
      },
    ],
  }),
  valueRule({
    code: 'PARTITION_FUNCTION',
    subject: 'segments',
    severity: 'warning',
    description: `The functionName of a partitioned column is ${partitionFunctions.join(', ')}.`,
    values: [
      {
        at: ['/tableIndexConfig/segmentPartitionConfig/columnPartitionMap/*/functionName'],
        ...oneOfWords(partitionFunctions),
      },
    ],
  }),
  {
    code: 'REPLICA_GROUP_STRATEGY',
    subject: 'segments',
    severity: 'error',
    description:
      'A replicaGroupStrategyConfig has a numInstancesPerPartition of at least 1, and no instanceAssignmentConfigMap beside it.',
    *check({ config }) {
      const strategy = config.segmentsConfig?.replicaGroupStrategyConfig;
      if (strategy === undefined) return;
      const path = '/segmentsConfig/replicaGroupStrategyConfig';
      if ((strategy.numInstancesPerPartition ?? 0) < 1) {
        yield { path: `${path}/numInstancesPerPartition`, message: 'No server would hold a partition.' };
      }
      if (Object.keys(config.instanceAssignmentConfigMap ?? {}).length > 0) {
        yield { path, message: 'The instanceAssignmentConfigMap chooses servers already.' };
      }
    },
  },
  valueRule({
    code: 'COMPLETION_MODE',
    subject: 'segments',
    severity: 'warning',
    description: `The completionMode of a completionConfig is ${completionModes.join(' or ')}.`,
    values: [{ at: ['/segmentsConfig/completionConfig/completionMode'], ...oneOfWords(completionModes) }],
  }),
];

export function timeColumnOf(config: CheckedTable['config']): string {
  return config.segmentsConfig?.timeColumnName ?? '';
}

export function replicationOf({ tableType, segmentsConfig }: CheckedTable['config']): number {
  const own = tableType === 'REALTIME' ? segmentsConfig?.replicasPerPartition : undefined;
  const text = own ?? segmentsConfig?.replication ?? '1';
  return isInteger(text) ? Number(text) : 1;
}
