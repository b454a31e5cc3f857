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
    'A real-time table must have a time column.',
    function* ({ config }) {
      if (config.tableType === 'REALTIME' && timeColumnOf(config) === '') {
        yield [
          '/segmentsConfig/timeColumnName',
          'The real-time table has no time column: set timeColumnName.',
        ];
      }
    },
  ),
  timeColumn.error(
    'TIME_COLUMN_EMPTY',
    'A timeColumnName, if present, must not be empty.',
    function* ({ config }) {
      if (config.segmentsConfig?.timeColumnName === '') {
        yield [
          '/segmentsConfig/timeColumnName',
          'The timeColumnName is empty: leave it out if the table has no time column.',
        ];
      }
    },
  ),
  timeColumn.error(
    'TIME_COLUMN_UNKNOWN',
    'The time column must be one of the dateTimeFieldSpecs of the schema.',
    function* ({ config, schema }) {
      const name = timeColumnOf(config);
      if (name === '' || schema === undefined) return;
      const column = columnNamed(name, schema);
      if (column === undefined) {
        yield ['/segmentsConfig/timeColumnName', `The schema has no column ${name}.`];
      } else if (column.kind !== 'dateTime' && column.kind !== 'time') {
        yield [
          '/segmentsConfig/timeColumnName',
          `The column ${name} is in ${column.kind}FieldSpecs; expected one of the dateTimeFieldSpecs.`,
        ];
      }
    },
  ),
  timeColumn.error(
    'HYBRID_TIME_COLUMN',
    'The offline and the real-time config of a hybrid table must have the same time column.',
    function* ({ config, cluster: { otherConfig } }) {
      if (otherConfig === undefined) return;
      const [own, other] = [timeColumnOf(config), timeColumnOf(otherConfig)];
      if (own === '' || own !== other) {
        const message = `The time column is ${own || 'missing'}, but ${other || 'missing'} in the other config of this hybrid table.`;
        yield ['/segmentsConfig/timeColumnName', message];
      }
    },
  ),
];

/** Rules about the retention and replication of segments. */
export const segmentRules = [
  error(
    'RETENTION_UNIT',
    `retentionTimeUnit must be one of ${timeUnits.join(', ')}, in any case.`,
    valuesAt('/segmentsConfig/retentionTimeUnit', {
      holds: oneOfWords(timeUnits).holds,
      message: (unit) => `${unit} is not a unit of time: expected ${timeUnits.join(', ')}.`,
    }),
  ),
  error(
    'TIME_TYPE',
    `timeType must be one of ${timeUnits.join(', ')}, in any case.`,
    valuesAt('/segmentsConfig/timeType', oneOfWords(timeUnits)),
  ),
  warning(
    'RETENTION_VALUE',
    'retentionTimeValue should be a whole number of at least 1, set together with retentionTimeUnit.',
    function* ({ config: { segmentsConfig } }) {
      const { retentionTimeUnit: unit = '', retentionTimeValue: value = '' } = segmentsConfig ?? {};
      const path = '/segmentsConfig/retentionTimeValue';
      if (value !== '' && !isCount(value)) {
        yield [path, `‘${value}’ is not a whole number of at least 1.`];
      }
      if (unit === '' && value !== '') {
        yield [path, `retentionTimeValue is ${value}, but retentionTimeUnit is missing.`];
      }
      if (unit !== '' && value === '') {
        yield [path, `retentionTimeUnit is ${unit}, but retentionTimeValue is missing.`];
      }
    },
  ),
  error(
    'UNTRACKED_RETENTION',
    `untrackedSegmentsRetentionTimeUnit and untrackedSegmentsRetentionTimeValue must be set together: one of ${timeUnits.join(', ')}, and a whole number of at least 1.`,
    function* ({ config: { segmentsConfig } }) {
      const {
        untrackedSegmentsRetentionTimeUnit: unit = '',
        untrackedSegmentsRetentionTimeValue: value = '',
      } = segmentsConfig ?? {};
      const path = '/segmentsConfig/untrackedSegmentsRetentionTime';
      if (unit !== '' && value === '') {
        yield [`${path}Unit`, `The unit ${unit} requires an untrackedSegmentsRetentionTimeValue.`];
      }
      if (unit === '' && value !== '') {
        yield [
          `${path}Value`,
          `The value ${value} requires an untrackedSegmentsRetentionTimeUnit.`,
        ];
      }
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
    'deletedSegmentsRetentionPeriod should be a period such as 7d.',
    valuesAt('/segmentsConfig/deletedSegmentsRetentionPeriod', period),
  ),
  error(
    'PUSH_TYPE',
    'The push type of an offline table must be APPEND or REFRESH.',
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
    'replication, or replicasPerPartition of a real-time table, must be a whole number.',
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
    'replication should be at least the minimum of the cluster, to which lower values are raised.',
    function* ({ config, cluster: { replicationMin = 1 } }) {
      const replication = replicationOf(config);
      if (replication < replicationMin) {
        yield [
          '/segmentsConfig/replication',
          `The replication is ${replication}; the minimum of the cluster is ${replicationMin}.`,
        ];
      }
    },
  ),
  error(
    'PEER_DOWNLOAD_SCHEME',
    'peerSegmentDownloadScheme must be http or https, and requires a replication of at least 2.',
    function* ({ config }) {
      const scheme = config.segmentsConfig?.peerSegmentDownloadScheme;
      const path = '/segmentsConfig/peerSegmentDownloadScheme';
      if (scheme === undefined) return;
      if (!/^https?$/i.test(scheme)) yield [path, `‘${scheme}’ is neither http nor https.`];
      if (replicationOf(config) < 2) {
        yield [path, 'peerSegmentDownloadScheme requires a replication of at least 2.'];
      }
    },
  ),
  error(
    'DIM_TABLE',
    'A dimension table must be offline, have a primary key and, with an ingestionConfig, the segmentIngestionType REFRESH.',
    function* ({ config, schema }) {
      if (config.isDimTable !== true) return;
      if (config.tableType === 'REALTIME') {
        yield ['/isDimTable', 'A dimension table must be offline.'];
      }
      if (schema !== undefined && (schema.schema.primaryKeyColumns ?? []).length === 0) {
        yield ['/isDimTable', 'A dimension table requires primaryKeyColumns in its schema.'];
      }
      const type = config.ingestionConfig?.batchIngestionConfig?.segmentIngestionType;
      if (config.ingestionConfig !== undefined && type?.toUpperCase() !== 'REFRESH') {
        const path = '/ingestionConfig/batchIngestionConfig/segmentIngestionType';
        yield [
          path,
          `A dimension table requires the segmentIngestionType REFRESH, not ${type ?? 'APPEND'}.`,
        ];
      }
    },
  ),
  warning(
    'DIM_TABLE_PUSH',
    'A dimension table should have the segmentIngestionType REFRESH, since its rows are replaced as a whole.',
    function* ({ config }) {
      if (config.isDimTable === true && config.ingestionConfig === undefined) {
        yield [
          '/isDimTable',
          'The dimension table has no batchIngestionConfig with the segmentIngestionType REFRESH.',
        ];
      }
    },
  ),
  error(
    'COLUMN_PARTITION',
    'A partitioned column must have a numPartitions of at least 1.',
    valuesAt('/tableIndexConfig/segmentPartitionConfig/columnPartitionMap/*/numPartitions', {
      isRequired: true,
      holds: (partitions) => Number(partitions) >= 1,
      message: (_, column) => `The column ${column} requires a numPartitions of at least 1.`,
    }),
  ),
  warning(
    'PARTITION_FUNCTION',
    `The functionName of a partitioned column should be one of ${partitionFunctions.join(', ')}.`,
    valuesAt(
      '/tableIndexConfig/segmentPartitionConfig/columnPartitionMap/*/functionName',
      oneOfWords(partitionFunctions),
    ),
  ),
  error(
    'PARTITION_SINGLE_VALUE',
    'Partitioned columns must be single-value columns.',
    function* ({ config, schema }) {
      const partitioned = config.tableIndexConfig?.segmentPartitionConfig?.columnPartitionMap;
      for (const [path, name] of placedMembers(
        '/tableIndexConfig/segmentPartitionConfig/columnPartitionMap',
        partitioned,
      )) {
        const isList =
          schema?.columns.some((column) => column.name === name && column.isMultiValue) === true;
        if (isList) yield [path, `${name} is a multi-value column, which cannot be partitioned.`];
      }
    },
  ),
  error(
    'REPLICA_GROUP_STRATEGY',
    'A replicaGroupStrategyConfig must have a numInstancesPerPartition of at least 1, and cannot be combined with an instanceAssignmentConfigMap.',
    function* ({ config }) {
      const strategy = config.segmentsConfig?.replicaGroupStrategyConfig;
      if (strategy === undefined) return;
      const path = '/segmentsConfig/replicaGroupStrategyConfig';
      if ((strategy.numInstancesPerPartition ?? 0) < 1) {
        yield [`${path}/numInstancesPerPartition`, 'numInstancesPerPartition must be at least 1.'];
      }
      if (Object.keys(config.instanceAssignmentConfigMap ?? {}).length > 0) {
        yield [
          path,
          'replicaGroupStrategyConfig cannot be combined with an instanceAssignmentConfigMap: remove one of them.',
        ];
      }
    },
  ),
  warning(
    'COMPLETION_MODE',
    `The completionMode of a completionConfig should be ${completionModes.join(' or ')}.`,
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
