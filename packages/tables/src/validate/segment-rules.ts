import { pushTypes, timeUnits } from '../model/member.ts';
import { type CheckedTable, columnNamed, placedMembers, rulesAbout } from './rule.ts';
import { isCount, isInteger, oneOfWords, period, valuesAt } from './values-at.ts';

const partitionFunctions = [
  'Modulo',
  'Murmur',
  'Murmur2',
  'Murmur3',
  'HashCode',
  'ByteArray',
  'BoundedColumnValue',
  'Fnv',
];
const completionModes = ['DOWNLOAD', 'DEFAULT'];

const timeColumn = rulesAbout('time column');
const { error, warning } = rulesAbout('segments');

/** Rules about the time column. */
export const timeColumnRules = [
  timeColumn.error(
    'TIME_COLUMN_MISSING',
    'A real-time table has a time column.',
    function* ({ config }) {
      if (config.tableType === 'REALTIME' && timeColumnOf(config) === '') {
        yield ['/segmentsConfig/timeColumnName', 'A real-time table needs a time column.'];
      }
    },
  ),
  timeColumn.error(
    'TIME_COLUMN_EMPTY',
    'A timeColumnName, if present, is not empty.',
    function* ({ config }) {
      if (config.segmentsConfig?.timeColumnName === '') {
        yield [
          '/segmentsConfig/timeColumnName',
          'The timeColumnName is empty: leave it out if the table has no time.',
        ];
      }
    },
  ),
  timeColumn.error(
    'TIME_COLUMN_UNKNOWN',
    'The time column is one of the dateTimeFieldSpecs of the schema.',
    function* ({ config, schema }) {
      const name = timeColumnOf(config);
      if (name === '' || schema === undefined) return;
      const column = columnNamed(name, schema);
      if (column === undefined) {
        yield ['/segmentsConfig/timeColumnName', `The schema has no column ${name}.`];
      } else if (column.kind !== 'dateTime' && column.kind !== 'time') {
        yield [
          '/segmentsConfig/timeColumnName',
          `${name} is a ${column.kind}, not one of the dateTimeFieldSpecs.`,
        ];
      }
    },
  ),
  timeColumn.error(
    'HYBRID_TIME_COLUMN',
    'Both halves of a table that is offline and real-time have the same time column, and have one.',
    function* ({ config, cluster: { otherConfig } }) {
      if (otherConfig === undefined) return;
      const [own, other] = [timeColumnOf(config), timeColumnOf(otherConfig)];
      if (own === '' || own !== other) {
        const message = `The time column is ${own || 'missing'}, that of the other half ${other || 'missing'}.`;
        yield ['/segmentsConfig/timeColumnName', message];
      }
    },
  ),
];

/** Rules about the retention and replication of segments. */
export const segmentRules = [
  error(
    'RETENTION_UNIT',
    `retentionTimeUnit is ${timeUnits.join(', ')}, in any case.`,
    valuesAt('/segmentsConfig/retentionTimeUnit', {
      holds: oneOfWords(timeUnits).holds,
      message: (unit) => `${unit} is not a unit of time: expected ${timeUnits.join(', ')}.`,
    }),
  ),
  error(
    'TIME_TYPE',
    `timeType is ${timeUnits.join(', ')}, in any case.`,
    valuesAt('/segmentsConfig/timeType', oneOfWords(timeUnits)),
  ),
  warning(
    'RETENTION_VALUE',
    'retentionTimeValue is a whole number of at least 1, and comes with retentionTimeUnit.',
    function* ({ config: { segmentsConfig } }) {
      const { retentionTimeUnit: unit = '', retentionTimeValue: value = '' } = segmentsConfig ?? {};
      const path = '/segmentsConfig/retentionTimeValue';
      if (value !== '' && !isCount(value)) {
        yield [path, `‘${value}’ is not a whole number of at least 1.`];
      }
      if (unit === '' && value !== '') {
        yield [path, `retentionTimeValue is ${value}, but has no unit.`];
      }
      if (unit !== '' && value === '') {
        yield [path, `retentionTimeUnit is ${unit}, but has no value.`];
      }
    },
  ),
  error(
    'UNTRACKED_RETENTION',
    `untrackedSegmentsRetentionTimeUnit and untrackedSegmentsRetentionTimeValue come together: a unit of ${timeUnits.join(', ')}, and a whole number of at least 1.`,
    function* ({ config: { segmentsConfig } }) {
      const {
        untrackedSegmentsRetentionTimeUnit: unit = '',
        untrackedSegmentsRetentionTimeValue: value = '',
      } = segmentsConfig ?? {};
      const path = '/segmentsConfig/untrackedSegmentsRetentionTime';
      if (unit !== '' && value === '') yield [`${path}Unit`, `${unit} has no value.`];
      if (unit === '' && value !== '') yield [`${path}Value`, `${value} has no unit.`];
      if (unit === '' || value === '') return;
      if (!oneOfWords(timeUnits).holds(unit)) {
        yield [`${path}Unit`, oneOfWords(timeUnits).message(unit, '')];
      }
      if (!/^\+?0*[1-9]\d{0,17}$/.test(value)) {
        yield [`${path}Value`, `‘${value}’ is not a whole number of at least 1.`];
      }
    },
  ),
  warning(
    'DELETED_SEGMENTS_PERIOD',
    'deletedSegmentsRetentionPeriod is a period such as 7d.',
    valuesAt('/segmentsConfig/deletedSegmentsRetentionPeriod', period),
  ),
  error(
    'PUSH_TYPE',
    'Files of an offline table are pushed by APPEND or REFRESH.',
    function* ({ config }) {
      const path = '/ingestionConfig/batchIngestionConfig/segmentIngestionType';
      const newer = config.ingestionConfig?.batchIngestionConfig?.segmentIngestionType;
      const type = newer ?? config.segmentsConfig?.segmentPushType ?? '';
      if (config.tableType === 'REALTIME' || type === '' || oneOfWords(pushTypes).holds(type)) {
        return;
      }
      yield [
        newer === undefined ? '/segmentsConfig/segmentPushType' : path,
        oneOfWords(pushTypes).message(type, ''),
      ];
    },
  ),
  error(
    'REPLICATION_NUMBER',
    'replication, or replicasPerPartition of a real-time table, is a whole number.',
    function* ({ config: { tableType, segmentsConfig } }) {
      const member =
        tableType === 'REALTIME' && segmentsConfig?.replicasPerPartition !== undefined
          ? 'replicasPerPartition'
          : 'replication';
      const value = segmentsConfig?.[member];
      if (value !== undefined && !isInteger(value)) {
        yield [`/segmentsConfig/${member}`, `‘${value}’ is not a whole number.`];
      }
    },
  ),
  warning(
    'REPLICATION_MINIMUM',
    'replication is at least the minimum of the cluster: less is raised to it.',
    function* ({ config, cluster: { replicationMin = 1 } }) {
      const replication = replicationOf(config);
      if (replication < replicationMin) {
        yield [
          '/segmentsConfig/replication',
          `${replication} is less than ${replicationMin}, the minimum here.`,
        ];
      }
    },
  ),
  error(
    'PEER_DOWNLOAD_SCHEME',
    'peerSegmentDownloadScheme is http or https, and needs two copies of each segment.',
    function* ({ config }) {
      const scheme = config.segmentsConfig?.peerSegmentDownloadScheme;
      const path = '/segmentsConfig/peerSegmentDownloadScheme';
      if (scheme === undefined) return;
      if (!/^https?$/i.test(scheme)) yield [path, `‘${scheme}’ is neither http nor https.`];
      if (replicationOf(config) < 2) {
        yield [path, 'Servers can copy segments from each other only if there are two copies.'];
      }
    },
  ),
  error(
    'DIM_TABLE',
    'A dimension table is offline, has a primary key, and is pushed by REFRESH where it has an ingestionConfig.',
    function* ({ config, schema }) {
      if (config.isDimTable !== true) return;
      if (config.tableType === 'REALTIME') yield ['/isDimTable', 'A dimension table is offline.'];
      if (schema !== undefined && (schema.schema.primaryKeyColumns ?? []).length === 0) {
        yield ['/isDimTable', 'The schema of a dimension table needs primaryKeyColumns.'];
      }
      const type = config.ingestionConfig?.batchIngestionConfig?.segmentIngestionType;
      if (config.ingestionConfig !== undefined && type?.toUpperCase() !== 'REFRESH') {
        const path = '/ingestionConfig/batchIngestionConfig/segmentIngestionType';
        yield [path, `A dimension table is pushed by REFRESH, not by ${type ?? 'APPEND'}.`];
      }
    },
  ),
  warning(
    'DIM_TABLE_PUSH',
    'A dimension table says that it is pushed by REFRESH: its rows are replaced as a whole.',
    function* ({ config }) {
      if (config.isDimTable === true && config.ingestionConfig === undefined) {
        yield [
          '/isDimTable',
          'The table has no batchIngestionConfig with the segmentIngestionType REFRESH.',
        ];
      }
    },
  ),
  error(
    'COLUMN_PARTITION',
    'A partitioned column has a numPartitions of at least 1.',
    valuesAt('/tableIndexConfig/segmentPartitionConfig/columnPartitionMap/*/numPartitions', {
      isRequired: true,
      holds: (partitions) => Number(partitions) >= 1,
      message: (_, column) => `${column} has no partitions.`,
    }),
  ),
  warning(
    'PARTITION_FUNCTION',
    `The functionName of a partitioned column is ${partitionFunctions.join(', ')}.`,
    valuesAt(
      '/tableIndexConfig/segmentPartitionConfig/columnPartitionMap/*/functionName',
      oneOfWords(partitionFunctions),
    ),
  ),
  error(
    'PARTITION_SINGLE_VALUE',
    'Partitioned columns hold single values.',
    function* ({ config, schema }) {
      const partitioned = config.tableIndexConfig?.segmentPartitionConfig?.columnPartitionMap;
      for (const [path, name] of placedMembers(
        '/tableIndexConfig/segmentPartitionConfig/columnPartitionMap',
        partitioned,
      )) {
        const isList =
          schema?.columns.some((column) => column.name === name && column.isMultiValue) === true;
        if (isList) yield [path, `${name} holds several values, which have no one partition.`];
      }
    },
  ),
  error(
    'REPLICA_GROUP_STRATEGY',
    'A replicaGroupStrategyConfig has a numInstancesPerPartition of at least 1, and no instanceAssignmentConfigMap beside it.',
    function* ({ config }) {
      const strategy = config.segmentsConfig?.replicaGroupStrategyConfig;
      if (strategy === undefined) return;
      const path = '/segmentsConfig/replicaGroupStrategyConfig';
      if ((strategy.numInstancesPerPartition ?? 0) < 1) {
        yield [`${path}/numInstancesPerPartition`, 'No server would hold a partition.'];
      }
      if (Object.keys(config.instanceAssignmentConfigMap ?? {}).length > 0) {
        yield [path, 'The instanceAssignmentConfigMap already chooses servers.'];
      }
    },
  ),
  warning(
    'COMPLETION_MODE',
    `The completionMode of a completionConfig is ${completionModes.join(' or ')}.`,
    valuesAt('/segmentsConfig/completionConfig/completionMode', oneOfWords(completionModes)),
  ),
];

export function timeColumnOf(config: CheckedTable['config']): string {
  return config.segmentsConfig?.timeColumnName ?? '';
}

export function replicationOf({ tableType, segmentsConfig }: CheckedTable['config']): number {
  const own = tableType === 'REALTIME' ? segmentsConfig?.replicasPerPartition : undefined;
  const text = own ?? segmentsConfig?.replication ?? '1';
  return isInteger(text) ? Number(text) : 1;
}
