import { describe } from './column-indexes.ts';
import { hasKeys, isDedupOn, isUpsertOn } from './keys.ts';
import {
  type CheckedTable,
  type Column,
  columnNamed,
  type Fault,
  isNumeric,
  placed,
  placedMembers,
  rulesAbout,
  unknownColumns,
} from './rule.ts';
import { timeColumnOf } from './segment-rules.ts';

const { error, warning } = rulesAbout('upsert', ({ config }) => isUpsertOn(config));
const dedup = rulesAbout('dedup', ({ config }) => isDedupOn(config));
const keyed = rulesAbout(
  'assignment',
  ({ config }) => config.tableType === 'REALTIME' && hasKeys(config),
);

/** Rules about upsert in the modes other than NONE. */
export const upsertRules = [
  error(
    'UPSERT_REALTIME',
    'Tables with upsert are real-time, or have a segmentPartitionConfig.',
    function* ({ config }) {
      const partitions = config.tableIndexConfig?.segmentPartitionConfig?.columnPartitionMap ?? {};
      if (config.tableType !== 'REALTIME' && Object.keys(partitions).length === 0) {
        yield [
          '/upsertConfig/mode',
          'Rows of an offline table replace each other only in partitions.',
        ];
      }
    },
  ),
  error('UPSERT_AND_DEDUP', 'No table has both upsert and dedup.', function* ({ config }) {
    if (isDedupOn(config)) {
      yield ['/dedupConfig/dedupEnabled', 'With upsert, rows whose key exists already are kept.'];
    }
  }),
  error(
    'UPSERT_PRIMARY_KEY',
    'Tables with upsert have a primary key, of columns with one value in a row.',
    (table) => keyFaults(table, '/upsertConfig/mode'),
  ),
  error(
    'UPSERT_ROUTING',
    'Queries of tables with upsert go to strictReplicaGroup: one server sees all rows of a key.',
    (table) => routingFaults(table),
  ),
  error(
    'UPSERT_STAR_TREE',
    'Tables with upsert have no star-trees, which would count replaced rows.',
    function* ({ config }) {
      const index = config.tableIndexConfig;
      if ((index?.starTreeIndexConfigs ?? []).length > 0) {
        yield [
          '/tableIndexConfig/starTreeIndexConfigs',
          'A star-tree counts rows that were replaced.',
        ];
      }
      if (index?.enableDefaultStarTree === true) {
        yield [
          '/tableIndexConfig/enableDefaultStarTree',
          'A star-tree counts rows that were replaced.',
        ];
      }
    },
  ),
  error(
    'UPSERT_TIERS',
    'Tables with upsert have no tiers: all segments of a key stay on one server.',
    function* ({ config }) {
      if ((config.tierConfigs ?? []).length > 0) {
        yield ['/tierConfigs', 'Segments that move away take their keys along.'];
      }
    },
  ),
  error('UPSERT_COMPARISON_COLUMN', 'Comparison columns are in the schema.', ({ config, schema }) =>
    unknownColumns(comparisonColumnsOf(config), schema),
  ),
  warning(
    'UPSERT_COMPARISON_LIST',
    'Comparison columns have one value in a row.',
    function* ({ config, schema }) {
      for (const [path, name] of comparisonColumnsOf(config)) {
        if (columnNamed(name, schema)?.isMultiValue === true) {
          yield [path, `${name} holds lists, which cannot be compared.`];
        }
      }
    },
  ),
  error(
    'UPSERT_TTL',
    'metadataTTL and deletedKeysTTL need a single numeric comparison column; the former also snapshots, the latter a deleteRecordColumn.',
    ttlFaults,
  ),
  warning(
    'UPSERT_SNAPSHOT',
    'A table with metadataTTL enables or disables snapshots explicitly.',
    function* ({ config }) {
      const { metadataTTL = 0, enableSnapshot, snapshot } = config.upsertConfig ?? {};
      if (metadataTTL > 0 && enableSnapshot !== true && snapshot === undefined) {
        yield [
          '/upsertConfig/snapshot',
          'metadataTTL needs snapshots, and without this member the server decides.',
        ];
      }
    },
  ),
  error(
    'UPSERT_COMPACTION',
    'enableDeletedKeysCompactionConsistency goes with deletedKeysTTL, snapshots and a compacting task, not with metadataTTL or preload.',
    compactionFaults,
  ),
  error(
    'UPSERT_CONSISTENCY',
    'A consistencyMode needs a newSegmentTrackingTimeMs, and rows out of order are neither dropped nor marked.',
    function* ({ config }) {
      const {
        consistencyMode = 'NONE',
        newSegmentTrackingTimeMs = 1,
        ...others
      } = config.upsertConfig ?? {};
      if (consistencyMode === 'NONE') return;
      const path = '/upsertConfig/consistencyMode';
      if (newSegmentTrackingTimeMs <= 0) {
        yield [path, `${consistencyMode} needs a newSegmentTrackingTimeMs.`];
      }
      if (others.dropOutOfOrderRecord === true || others.outOfOrderRecordColumn !== undefined) {
        yield [path, `${consistencyMode} cannot detect which rows are out of order.`];
      }
    },
  ),
  error(
    'UPSERT_DELETE_COLUMN',
    'deleteRecordColumn is STRING, BOOLEAN or a number, with one value in a row.',
    (table) =>
      columnFaults(
        table,
        'deleteRecordColumn',
        (column) => isNumeric(column) || ['STRING', 'BOOLEAN'].includes(column.dataType ?? ''),
      ),
  ),
  error(
    'UPSERT_OUT_OF_ORDER',
    'outOfOrderRecordColumn is BOOLEAN, and not set when such rows are dropped.',
    function* (table) {
      yield* columnFaults(
        table,
        'outOfOrderRecordColumn',
        (column) => column.dataType === 'BOOLEAN',
      );
      const { dropOutOfOrderRecord, outOfOrderRecordColumn } = table.config.upsertConfig ?? {};
      if (dropOutOfOrderRecord === true && outOfOrderRecordColumn !== undefined) {
        yield ['/upsertConfig/outOfOrderRecordColumn', 'Rows that are dropped cannot be marked.'];
      }
    },
  ),
  error(
    'PARTIAL_UPSERT_STRATEGY',
    'Columns that identify or order rows have no strategy; INCREMENT adds numbers; APPEND and UNION add to lists.',
    strategyFaults,
  ),
  error(
    'PARTIAL_UPSERT_NULLS',
    'Mode PARTIAL needs nulls to be kept: a null leaves the earlier value.',
    function* ({ config, schema }) {
      const isKept =
        config.tableIndexConfig?.nullHandlingEnabled === true ||
        (schema?.schema.enableColumnBasedNullHandling ?? schema === undefined);
      if (config.upsertConfig?.mode === 'PARTIAL' && !isKept) {
        yield [
          '/tableIndexConfig/nullHandlingEnabled',
          'Neither the config nor the schema keeps nulls.',
        ];
      }
    },
  ),
];

/** Rules about dedup, where it is enabled. */
export const dedupRules = [
  dedup.error('DEDUP_REALTIME', 'Tables with dedup are real-time.', function* ({ config }) {
    if (config.tableType !== 'REALTIME') {
      yield ['/dedupConfig/dedupEnabled', 'Rows of an offline table are not dropped.'];
    }
  }),
  dedup.error(
    'DEDUP_PRIMARY_KEY',
    'Tables with dedup have a primary key, of columns with one value in a row.',
    (table) => keyFaults(table, '/dedupConfig/dedupEnabled'),
  ),
  dedup.error(
    'DEDUP_ROUTING',
    'Queries of tables with dedup go to strictReplicaGroup.',
    routingFaults,
  ),
  dedup.error(
    'DEDUP_TTL',
    'Keys expire by a numeric column of the schema.',
    function* ({ config, schema }) {
      const { metadataTTL = 0, dedupTimeColumn = '' } = config.dedupConfig ?? {};
      const name = dedupTimeColumn === '' ? timeColumnOf(config) : dedupTimeColumn;
      if (metadataTTL <= 0 || schema === undefined) return;
      const column = columnNamed(name, schema);
      const isFit = column !== undefined && isComparable(column);
      if (!isFit) {
        yield [
          '/dedupConfig/dedupTimeColumn',
          `${name || 'It'} is not a numeric column of the schema.`,
        ];
      }
    },
  ),
];

/** Rules about tables whose rows replace or drop each other: one server has all rows of a key. */
export const keyRules = [
  keyed.error(
    'KEYED_SERVERS',
    'Real-time tables with upsert or dedup have all segments on the same servers: no tagOverrideConfig, no COMPLETED instances.',
    function* ({ config }) {
      const { realtimeConsuming, realtimeCompleted } = config.tenants?.tagOverrideConfig ?? {};
      if (realtimeConsuming !== undefined || realtimeCompleted !== undefined) {
        yield ['/tenants/tagOverrideConfig', 'Segments of other servers would not know the keys.'];
      }
      if (Object.hasOwn(config.instanceAssignmentConfigMap ?? {}, 'COMPLETED')) {
        yield [
          '/instanceAssignmentConfigMap/COMPLETED',
          'Completed segments stay where their keys are.',
        ];
      }
    },
  ),
];

/**
 * Reports whether values of a column define an order of rows: numbers, and types that are stored as
 * numbers.
 */
function isComparable(column: Column): boolean {
  return isNumeric(column) || column.dataType === 'TIMESTAMP' || column.dataType === 'BOOLEAN';
}

function* compactionFaults({ config }: CheckedTable): Generator<Fault> {
  const { enableDeletedKeysCompactionConsistency: isOn, ...upsert } = config.upsertConfig ?? {};
  if (isOn !== true) return;
  const path = '/upsertConfig/enableDeletedKeysCompactionConsistency';
  const tasks = config.task?.taskTypeConfigsMap ?? {};
  const problems = [
    [(upsert.metadataTTL ?? 0) !== 0, 'It does not go with metadataTTL.'],
    [upsert.enablePreload === true || upsert.preload === 'ENABLE', 'It does not go with preload.'],
    [(upsert.deletedKeysTTL ?? 0) <= 0, 'It needs a deletedKeysTTL.'],
    [upsert.snapshot === 'DISABLE' && upsert.enableSnapshot !== true, 'It needs snapshots.'],
    [
      !Object.hasOwn(tasks, 'UpsertCompactionTask') &&
        !Object.hasOwn(tasks, 'UpsertCompactMergeTask'),
      'It needs an UpsertCompactionTask or an UpsertCompactMergeTask.',
    ],
  ] as const;
  for (const [isProblem, message] of problems) if (isProblem) yield [path, message];
}

function comparisonColumnsOf({ upsertConfig }: CheckedTable['config']) {
  return placed('/upsertConfig/comparisonColumns', upsertConfig?.comparisonColumns);
}

function* keyFaults({ schema }: CheckedTable, path: string): Generator<Fault> {
  if (schema === undefined) return;
  const keys = schema.schema.primaryKeyColumns ?? [];
  if (keys.length === 0) yield [path, 'The schema has no primaryKeyColumns.'];
  for (const key of keys) {
    if (columnNamed(key, schema)?.isMultiValue === true) {
      yield [path, `${key} of the primary key holds lists.`];
    }
  }
}

function* routingFaults({ config }: CheckedTable): Generator<Fault> {
  const type = config.routing?.instanceSelectorType ?? 'balanced';
  if (!/^(strict|multiStage)ReplicaGroup$/i.test(type)) {
    yield ['/routing/instanceSelectorType', `Expected strictReplicaGroup, found ${type}.`];
  }
}

function* ttlFaults({ config, schema }: CheckedTable): Generator<Fault> {
  const upsert = config.upsertConfig ?? {};
  const { metadataTTL = 0, deletedKeysTTL = 0, comparisonColumns = [] } = upsert;
  if (metadataTTL === 0 && deletedKeysTTL === 0) return;
  const path = `/upsertConfig/${metadataTTL > 0 ? 'metadataTTL' : 'deletedKeysTTL'}`;
  if (comparisonColumns.length > 1) {
    yield [path, `There are ${comparisonColumns.length} comparison columns, not one.`];
  }
  const name = comparisonColumns[0] ?? timeColumnOf(config);
  if (name === '') yield [path, 'There is neither a comparison column nor a time column.'];
  const column = columnNamed(name, schema);
  if (column !== undefined && !isComparable(column)) {
    yield [path, `The comparison column ${name} is ${describe(column)}, not a number.`];
  }
  if (metadataTTL > 0 && upsert.snapshot === 'DISABLE' && upsert.enableSnapshot !== true) {
    yield ['/upsertConfig/snapshot', 'metadataTTL needs snapshots.'];
  }
  if (deletedKeysTTL > 0 && upsert.deleteRecordColumn === undefined) {
    yield [
      '/upsertConfig/deletedKeysTTL',
      'There is no deleteRecordColumn that marks deleted keys.',
    ];
  }
}

function* columnFaults(
  { config, schema }: CheckedTable,
  member: 'deleteRecordColumn' | 'outOfOrderRecordColumn',
  isFit: (column: Column) => boolean,
): Generator<Fault> {
  const name = config.upsertConfig?.[member];
  if (name === undefined || schema === undefined) return;
  const column = columnNamed(name, schema);
  const path = `/upsertConfig/${member}`;
  if (column === undefined) yield [path, `The schema has no column ${name}.`];
  else if (column.isMultiValue || !isFit(column)) yield [path, `${name} is ${describe(column)}.`];
}

function* strategyFaults({ config, schema }: CheckedTable): Generator<Fault> {
  const {
    mode,
    partialUpsertStrategies = {},
    comparisonColumns = [],
    partialUpsertMergerClass = '',
  } = config.upsertConfig ?? {};
  if (mode !== 'PARTIAL') return;
  if (partialUpsertMergerClass.trim() !== '') {
    if (Object.keys(partialUpsertStrategies).length > 0) {
      yield [
        '/upsertConfig/partialUpsertStrategies',
        'The partialUpsertMergerClass merges the columns.',
      ];
    }
    return;
  }
  const ordering = comparisonColumns.length > 0 ? comparisonColumns : [timeColumnOf(config)];
  const fixed = new Set([...(schema?.schema.primaryKeyColumns ?? []), ...ordering]);
  for (const [path, name, strategy] of placedMembers(
    '/upsertConfig/partialUpsertStrategies',
    partialUpsertStrategies,
  )) {
    const column = columnNamed(name, schema);
    if (fixed.has(name)) yield [path, `${name} identifies or orders rows, and is never merged.`];
    else if (schema !== undefined && column === undefined) {
      yield [path, `The schema has no column ${name}.`];
    } else if (
      column !== undefined &&
      strategy === 'INCREMENT' &&
      !(isComparable(column) && isAddable(column))
    ) {
      yield [path, `${name} is ${describe(column)}, which cannot be incremented.`];
    } else if (column?.isMultiValue === false && (strategy === 'APPEND' || strategy === 'UNION')) {
      yield [path, `${name} holds single values, not lists.`];
    }
  }
}

/** Times and maps cannot be added up. */
function isAddable({ kind }: Column): boolean {
  return kind !== 'dateTime' && kind !== 'complex';
}
