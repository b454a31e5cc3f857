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

const keyedSelectors = 'strictReplicaGroup or multiStageReplicaGroup';
const compactionSwitch = 'enableDeletedKeysCompactionConsistency';

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
    'Upsert requires a real-time table, or a segmentPartitionConfig.',
    function* ({ config }) {
      const partitions = config.tableIndexConfig?.segmentPartitionConfig?.columnPartitionMap ?? {};
      if (config.tableType !== 'REALTIME' && Object.keys(partitions).length === 0) {
        yield [
          '/upsertConfig/mode',
          'Upsert in an offline table requires a segmentPartitionConfig.',
        ];
      }
    },
  ),
  error('UPSERT_AND_DEDUP', 'Upsert and dedup must not be combined.', function* ({ config }) {
    if (isDedupOn(config)) {
      yield [
        '/dedupConfig/dedupEnabled',
        'Dedup cannot be combined with upsert: disable one of them.',
      ];
    }
  }),
  error('UPSERT_PRIMARY_KEY', 'Upsert requires a primary key of single-value columns.', (table) =>
    keyFaults(table, '/upsertConfig/mode'),
  ),
  error(
    'UPSERT_ROUTING',
    `Upsert requires the instanceSelectorType ${keyedSelectors}, so that one server sees all rows of a key.`,
    (table) => routingFaults(table),
  ),
  error(
    'UPSERT_STAR_TREE',
    'Upsert cannot be combined with star-trees, which would aggregate replaced rows.',
    function* ({ config }) {
      const index = config.tableIndexConfig;
      if ((index?.starTreeIndexConfigs ?? []).length > 0) {
        yield [
          '/tableIndexConfig/starTreeIndexConfigs',
          'A star-tree would aggregate replaced rows and cannot be combined with upsert.',
        ];
      }
      if (index?.enableDefaultStarTree === true) {
        yield [
          '/tableIndexConfig/enableDefaultStarTree',
          'A star-tree would aggregate replaced rows and cannot be combined with upsert.',
        ];
      }
    },
  ),
  error(
    'UPSERT_TIERS',
    'Upsert cannot be combined with tiers: all segments of a key must stay on one server.',
    function* ({ config }) {
      if (config.tierConfigs !== undefined) {
        yield [
          '/tierConfigs',
          'Tiers cannot be combined with upsert: all segments of a key must stay on one server.',
        ];
      }
    },
  ),
  error(
    'UPSERT_COMPARISON_COLUMN',
    'Comparison columns must be in the schema.',
    ({ config, schema }) => unknownColumns(comparisonColumnsOf(config), schema),
  ),
  warning(
    'UPSERT_COMPARISON_LIST',
    'Comparison columns should be single-value columns.',
    function* ({ config, schema }) {
      for (const [path, name] of comparisonColumnsOf(config)) {
        if (columnNamed(name, schema)?.isMultiValue === true) {
          yield [path, `${name} is a multi-value column, which cannot be compared.`];
        }
      }
    },
  ),
  error(
    'UPSERT_TTL',
    'metadataTTL and deletedKeysTTL require a single numeric comparison column; metadataTTL also requires snapshots, and deletedKeysTTL a deleteRecordColumn.',
    ttlFaults,
  ),
  warning(
    'UPSERT_SNAPSHOT',
    'A table with metadataTTL should enable or disable snapshots explicitly.',
    function* ({ config }) {
      const { metadataTTL = 0, enableSnapshot, snapshot } = config.upsertConfig ?? {};
      if (metadataTTL > 0 && enableSnapshot !== true && snapshot === undefined) {
        yield [
          '/upsertConfig/snapshot',
          'metadataTTL requires snapshots, and the server decides about them unless snapshot is set.',
        ];
      }
    },
  ),
  error(
    'UPSERT_COMPACTION',
    'enableDeletedKeysCompactionConsistency requires deletedKeysTTL, snapshots and a compaction task, and cannot be combined with metadataTTL or preload.',
    compactionFaults,
  ),
  error(
    'UPSERT_CONSISTENCY',
    'A consistencyMode requires a newSegmentTrackingTimeMs greater than 0, and cannot be combined with dropOutOfOrderRecord or outOfOrderRecordColumn.',
    function* ({ config }) {
      const {
        consistencyMode = 'NONE',
        newSegmentTrackingTimeMs = 1,
        ...others
      } = config.upsertConfig ?? {};
      if (consistencyMode === 'NONE') return;
      const path = '/upsertConfig/consistencyMode';
      if (newSegmentTrackingTimeMs <= 0) {
        yield [path, `${consistencyMode} requires a newSegmentTrackingTimeMs greater than 0.`];
      }
      if (others.dropOutOfOrderRecord === true || others.outOfOrderRecordColumn !== undefined) {
        yield [
          path,
          `${consistencyMode} cannot be combined with dropOutOfOrderRecord or outOfOrderRecordColumn.`,
        ];
      }
    },
  ),
  error(
    'UPSERT_DELETE_COLUMN',
    'deleteRecordColumn must be a single-value STRING, BOOLEAN or numeric column.',
    (table) =>
      columnFaults(
        table,
        'deleteRecordColumn',
        'STRING, BOOLEAN or numeric',
        (column) => isNumeric(column) || ['STRING', 'BOOLEAN'].includes(column.dataType ?? ''),
      ),
  ),
  error(
    'UPSERT_OUT_OF_ORDER',
    'outOfOrderRecordColumn must be a single-value BOOLEAN column, and cannot be combined with dropOutOfOrderRecord.',
    function* (table) {
      yield* columnFaults(
        table,
        'outOfOrderRecordColumn',
        'BOOLEAN',
        (column) => column.dataType === 'BOOLEAN',
      );
      const { dropOutOfOrderRecord, outOfOrderRecordColumn } = table.config.upsertConfig ?? {};
      if (dropOutOfOrderRecord === true && outOfOrderRecordColumn !== undefined) {
        yield [
          '/upsertConfig/outOfOrderRecordColumn',
          'outOfOrderRecordColumn cannot be combined with dropOutOfOrderRecord: remove one of them.',
        ];
      }
    },
  ),
  error(
    'PARTIAL_UPSERT_STRATEGY',
    'partialUpsertStrategies must not name columns that identify or order rows; INCREMENT requires a numeric column, APPEND and UNION a multi-value column.',
    strategyFaults,
  ),
  error(
    'PARTIAL_UPSERT_NULLS',
    'The mode PARTIAL requires null handling, since a null keeps the earlier value.',
    function* ({ config, schema }) {
      const isKept =
        config.tableIndexConfig?.nullHandlingEnabled === true ||
        (schema?.schema.enableColumnBasedNullHandling ?? schema === undefined);
      if (config.upsertConfig?.mode === 'PARTIAL' && !isKept) {
        yield [
          '/tableIndexConfig/nullHandlingEnabled',
          'The mode PARTIAL requires nullHandlingEnabled, or enableColumnBasedNullHandling in the schema.',
        ];
      }
    },
  ),
];

/** Rules about dedup, where it is enabled. */
export const dedupRules = [
  dedup.error('DEDUP_REALTIME', 'Dedup requires a real-time table.', function* ({ config }) {
    if (config.tableType !== 'REALTIME') {
      yield ['/dedupConfig/dedupEnabled', 'Dedup requires a real-time table.'];
    }
  }),
  dedup.error(
    'DEDUP_PRIMARY_KEY',
    'Dedup requires a primary key of single-value columns.',
    (table) => keyFaults(table, '/dedupConfig/dedupEnabled'),
  ),
  dedup.error(
    'DEDUP_ROUTING',
    `Dedup requires the instanceSelectorType ${keyedSelectors}.`,
    routingFaults,
  ),
  dedup.error(
    'DEDUP_TTL',
    'metadataTTL of dedup requires a numeric dedupTimeColumn or time column.',
    function* ({ config, schema }) {
      const { metadataTTL = 0, dedupTimeColumn = '' } = config.dedupConfig ?? {};
      const name = dedupTimeColumn === '' ? timeColumnOf(config) : dedupTimeColumn;
      if (metadataTTL <= 0 || schema === undefined) return;
      const column = columnNamed(name, schema);
      const isFit = column !== undefined && isComparable(column);
      if (!isFit) {
        yield [
          '/dedupConfig/dedupTimeColumn',
          name === ''
            ? 'metadataTTL requires a dedupTimeColumn or a time column.'
            : `${name} is not a numeric column of the schema.`,
        ];
      }
    },
  ),
];

/**
 * Rules about tables whose rows replace or drop each other, so that one server must have all rows
 * of a key.
 */
export const keyRules = [
  keyed.error(
    'KEYED_SERVERS',
    'Real-time tables with upsert or dedup must have all segments on the same servers, without tagOverrideConfig or an instance assignment of COMPLETED segments.',
    function* ({ config }) {
      const { realtimeConsuming, realtimeCompleted } = config.tenants?.tagOverrideConfig ?? {};
      if (realtimeConsuming !== undefined || realtimeCompleted !== undefined) {
        yield [
          '/tenants/tagOverrideConfig',
          'tagOverrideConfig cannot be combined with upsert or dedup: all segments of a key must stay on one server.',
        ];
      }
      if (Object.hasOwn(config.instanceAssignmentConfigMap ?? {}, 'COMPLETED')) {
        yield [
          '/instanceAssignmentConfigMap/COMPLETED',
          'COMPLETED segments cannot move with upsert or dedup: all segments of a key must stay on one server.',
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
  const { [compactionSwitch]: isOn, ...upsert } = config.upsertConfig ?? {};
  if (isOn !== true) return;
  const path = `/upsertConfig/${compactionSwitch}`;
  const tasks = config.task?.taskTypeConfigsMap ?? {};
  const problems = [
    [(upsert.metadataTTL ?? 0) !== 0, `${compactionSwitch} cannot be combined with metadataTTL.`],
    [
      upsert.enablePreload === true || upsert.preload === 'ENABLE',
      `${compactionSwitch} cannot be combined with preload.`,
    ],
    [(upsert.deletedKeysTTL ?? 0) <= 0, `${compactionSwitch} requires a deletedKeysTTL.`],
    [
      upsert.snapshot === 'DISABLE' && upsert.enableSnapshot !== true,
      `${compactionSwitch} requires snapshots.`,
    ],
    [
      !Object.hasOwn(tasks, 'UpsertCompactionTask') &&
        !Object.hasOwn(tasks, 'UpsertCompactMergeTask'),
      `${compactionSwitch} requires an UpsertCompactionTask or an UpsertCompactMergeTask.`,
    ],
  ] as const;
  for (const [isProblem, message] of problems) if (isProblem) yield [path, message];
}

function comparisonColumnsOf({ upsertConfig = {} }: CheckedTable['config']) {
  // The older name of a single column, which takes precedence in Apache Pinot.
  const { comparisonColumn: older } = upsertConfig as { readonly comparisonColumn?: unknown };
  if (older !== undefined && older !== null) {
    const column = typeof older === 'string' ? older : JSON.stringify(older);
    return [['/upsertConfig/comparisonColumn', column] as const];
  }
  return placed('/upsertConfig/comparisonColumns', upsertConfig.comparisonColumns);
}

function* keyFaults({ schema }: CheckedTable, path: string): Generator<Fault> {
  if (schema === undefined) return;
  const keys = schema.schema.primaryKeyColumns ?? [];
  if (keys.length === 0) yield [path, 'The schema has no primaryKeyColumns.'];
  for (const key of keys) {
    if (columnNamed(key, schema)?.isMultiValue === true) {
      yield [path, `The primary-key column ${key} cannot be a multi-value column.`];
    }
  }
}

function* routingFaults({ config }: CheckedTable): Generator<Fault> {
  const type = config.routing?.instanceSelectorType ?? 'balanced';
  if (!/^(strict|multiStage)ReplicaGroup$/i.test(type)) {
    yield [
      '/routing/instanceSelectorType',
      `The instanceSelectorType is ${type}; expected ${keyedSelectors}.`,
    ];
  }
}

function* ttlFaults({ config, schema }: CheckedTable): Generator<Fault> {
  const upsert = config.upsertConfig ?? {};
  const { metadataTTL = 0, deletedKeysTTL = 0 } = upsert;
  const comparisonColumns = comparisonColumnsOf(config).map(([, column]) => column);
  if (metadataTTL === 0 && deletedKeysTTL === 0) return;
  const path = `/upsertConfig/${metadataTTL > 0 ? 'metadataTTL' : 'deletedKeysTTL'}`;
  if (comparisonColumns.length > 1) {
    yield [path, `A TTL requires a single comparison column, not ${comparisonColumns.length}.`];
  }
  const name = comparisonColumns[0] ?? timeColumnOf(config);
  if (name === '') yield [path, 'A TTL requires a comparison column or a time column.'];
  const column = columnNamed(name, schema);
  if (column !== undefined && !isComparable(column)) {
    yield [
      path,
      `The comparison column ${name} is ${describe(column)}; expected a numeric column.`,
    ];
  }
  if (metadataTTL > 0 && upsert.snapshot === 'DISABLE' && upsert.enableSnapshot !== true) {
    yield ['/upsertConfig/snapshot', 'metadataTTL requires snapshots.'];
  }
  if (deletedKeysTTL > 0 && upsert.deleteRecordColumn === undefined) {
    yield ['/upsertConfig/deletedKeysTTL', 'deletedKeysTTL requires a deleteRecordColumn.'];
  }
}

function* columnFaults(
  { config, schema }: CheckedTable,
  member: 'deleteRecordColumn' | 'outOfOrderRecordColumn',
  expected: string,
  isFit: (column: Column) => boolean,
): Generator<Fault> {
  const name = config.upsertConfig?.[member];
  if (name === undefined || schema === undefined) return;
  const column = columnNamed(name, schema);
  const path = `/upsertConfig/${member}`;
  if (column === undefined) yield [path, `The schema has no column ${name}.`];
  else if (column.isMultiValue || !isFit(column)) {
    yield [path, `${name} is ${describe(column)}; expected a single-value ${expected} column.`];
  }
}

function* strategyFaults({ config, schema }: CheckedTable): Generator<Fault> {
  const {
    mode,
    partialUpsertStrategies = {},
    partialUpsertMergerClass = '',
  } = config.upsertConfig ?? {};
  if (mode !== 'PARTIAL') return;
  if (partialUpsertMergerClass.trim() !== '') {
    if (Object.keys(partialUpsertStrategies).length > 0) {
      yield [
        '/upsertConfig/partialUpsertStrategies',
        'partialUpsertStrategies cannot be combined with a partialUpsertMergerClass: remove one of them.',
      ];
    }
    return;
  }
  const comparisonColumns = comparisonColumnsOf(config).map(([, column]) => column);
  const ordering = comparisonColumns.length > 0 ? comparisonColumns : [timeColumnOf(config)];
  const fixed = new Set([...(schema?.schema.primaryKeyColumns ?? []), ...ordering]);
  for (const [path, name, strategy] of placedMembers(
    '/upsertConfig/partialUpsertStrategies',
    partialUpsertStrategies,
  )) {
    const column = columnNamed(name, schema);
    if (fixed.has(name)) {
      yield [path, `${name} identifies or orders rows and cannot have a strategy.`];
    } else if (schema !== undefined && column === undefined) {
      yield [path, `The schema has no column ${name}.`];
    } else if (
      column !== undefined &&
      strategy === 'INCREMENT' &&
      !(isComparable(column) && isAddable(column))
    ) {
      yield [
        path,
        `${name}, ${describe(column)} of ${column.kind}FieldSpecs, cannot be incremented.`,
      ];
    } else if (column?.isMultiValue === false && (strategy === 'APPEND' || strategy === 'UNION')) {
      yield [path, `${strategy} requires a multi-value column; ${name} is a single-value column.`];
    }
  }
}

/** Reports whether values of a column can be added up: times and maps cannot. */
function isAddable({ kind }: Column): boolean {
  return kind !== 'dateTime' && kind !== 'complex';
}
