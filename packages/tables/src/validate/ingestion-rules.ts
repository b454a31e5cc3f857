import { isRecord } from '../model/document.ts';
import { aggregationProblem, ingestedAggregations } from './aggregations.ts';
import { storedTypeOf } from './column-indexes.ts';
import { hasKeys } from './keys.ts';
import {
  type CheckedTable,
  columnNamed,
  type Fault,
  placed,
  placedMembers,
  repeated,
  rulesAbout,
  unknownColumns,
} from './rule.ts';

const { error, warning } = rulesAbout('ingestion');

const enricherTypes = ['generateColumn', 'clpEnricher'];

/** Rules about the ingestion of rows. Those about its expressions are in `expression-rules.ts`. */
export const ingestionRules = [
  error('FILTER_EMPTY', 'A filterFunction, if present, is not empty.', function* ({ config }) {
    const text = config.ingestionConfig?.filterConfig?.filterFunction;
    if (text !== undefined && text.trim() === '') {
      yield [
        '/ingestionConfig/filterConfig/filterFunction',
        'The filterFunction is empty: leave it out to keep all rows.',
      ];
    }
  }),
  error(
    'TRANSFORM_INCOMPLETE',
    'A transform names its column and has an expression.',
    function* ({ config }) {
      for (const [path, transform] of transformsOf(config)) {
        for (const member of ['columnName', 'transformFunction'] as const) {
          if ((transform[member] ?? '').trim() === '') {
            yield [`${path}/${member}`, `The transform has no ${member}.`];
          }
        }
      }
    },
  ),
  error('TRANSFORM_DUPLICATE', 'No two transforms compute the same column.', ({ config }) =>
    repeated(columnNamesOf(transformsOf(config)), (name) => `Another transform computes ${name}.`),
  ),
  error('ENRICHER_TYPE', `Enrichers are ${enricherTypes.join(', ')}.`, function* ({ config }) {
    for (const [path, { enricherType: type = '' }] of enrichersOf(config)) {
      if (enricherTypes.includes(type)) continue;
      yield [`${path}/enricherType`, `‘${type}’ is not one of ${enricherTypes.join(', ')}.`];
    }
  }),
  error(
    'ENRICHER_PROPERTIES',
    'Every enricher has properties: generateColumn a fieldToFunctionMap without Groovy, clpEnricher its fields.',
    function* ({ config }) {
      for (const [path, { enricherType, properties }] of enrichersOf(config)) {
        const problem = enricherProblem(enricherType, properties);
        if (problem !== undefined) yield [`${path}/properties`, problem];
      }
    },
  ),
  error(
    'PREFIX_IN_SCHEMA',
    'No column of the schema begins with a prefix of prefixesToRename.',
    function* ({ config, schema }) {
      for (const [path, prefix] of renamedPrefixesOf(config)) {
        const column = schema?.columns.find(({ name }) => name.startsWith(prefix));
        if (column !== undefined) {
          yield [path, `The column ${column.name} begins with ${prefix}, which is renamed.`];
        }
      }
    },
  ),
  warning(
    'PREFIX_RENAME_CONFLICT',
    'New prefixes of columns are texts that are all different, and no column is renamed to an existing one.',
    ({ config, schema }) => prefixFaults(config, schema),
  ),
  error(
    'AGGREGATION_INCOMPLETE',
    `An aggregation names its column and has a function of one column whose values have one size: ${ingestedAggregations.join(', ')}.`,
    function* ({ config, schema }) {
      for (const [path, { columnName = '', aggregationFunction = '' }] of aggregationsOf(config)) {
        if (columnName === '') yield [`${path}/columnName`, 'The aggregation has no column.'];
        const type = columnNamed(columnName, schema)?.dataType;
        const problem = aggregationProblem(aggregationFunction, type);
        if (problem !== undefined) yield [`${path}/aggregationFunction`, problem];
      }
    },
  ),
  error('AGGREGATION_DUPLICATE', 'No two aggregations compute the same metric.', ({ config }) =>
    repeated(
      columnNamesOf(aggregationsOf(config)),
      (name) => `Another aggregation computes ${name}.`,
    ),
  ),
  error(
    'AGGREGATION_METRICS',
    'Aggregations compute metrics of the schema, and then all of them.',
    function* ({ config, schema }) {
      const names = columnNamesOf(aggregationsOf(config));
      if (names.length === 0 || schema === undefined) return;
      const metrics = schema.columns
        .filter(({ kind }) => kind === 'metric')
        .map(({ name }) => name);
      for (const [path, name] of names) {
        if (name !== '' && !metrics.includes(name)) {
          yield [path, `${name} is not a metric of the schema.`];
        }
      }
      const missing = metrics.filter((metric) => names.every(([, name]) => name !== metric));
      if (missing.length > 0) {
        yield [
          '/ingestionConfig/aggregationConfigs',
          `Not all metrics are aggregated: ${missing.join(', ')}.`,
        ];
      }
    },
  ),
  error(
    'AGGREGATION_DICTIONARY',
    'Metrics that are aggregated have no dictionary.',
    function* ({ config }) {
      const { noDictionaryColumns = [], noDictionaryConfig = {} } = config.tableIndexConfig ?? {};
      const raw = (config.fieldConfigList ?? [])
        .filter(({ encodingType }) => encodingType === 'RAW')
        .map(({ name }) => name);
      for (const [path, name] of columnNamesOf(aggregationsOf(config))) {
        if (name === '' || noDictionaryColumns.includes(name) || raw.includes(name)) continue;
        if (!Object.hasOwn(noDictionaryConfig, name)) {
          yield [path, `${name} is not among noDictionaryColumns.`];
        }
      }
    },
  ),
  error(
    'AGGREGATION_UPSERT',
    'Tables with upsert or dedup have no aggregations.',
    function* ({ config }) {
      if (aggregationsOf(config).length > 0 && hasKeys(config)) {
        yield [
          '/ingestionConfig/aggregationConfigs',
          'Rows that were aggregated cannot be replaced or dropped.',
        ];
      }
    },
  ),
  error(
    'AGGREGATE_METRICS',
    'aggregateMetrics is used neither with aggregationConfigs nor in a table with upsert or dedup.',
    function* ({ config }) {
      if (config.tableIndexConfig?.aggregateMetrics !== true) return;
      const path = '/tableIndexConfig/aggregateMetrics';
      if (aggregationsOf(config).length > 0) yield [path, 'There are aggregationConfigs as well.'];
      if (hasKeys(config)) yield [path, 'Rows that were aggregated cannot be replaced or dropped.'];
    },
  ),
];

function transformsOf({ ingestionConfig }: Config) {
  return placed('/ingestionConfig/transformConfigs', ingestionConfig?.transformConfigs);
}

function enrichersOf({ ingestionConfig }: Config) {
  return placed('/ingestionConfig/enrichmentConfigs', ingestionConfig?.enrichmentConfigs);
}

function aggregationsOf({ ingestionConfig }: Config) {
  return placed('/ingestionConfig/aggregationConfigs', ingestionConfig?.aggregationConfigs);
}

function columnNamesOf(list: readonly (readonly [string, { readonly columnName?: string }])[]) {
  return list.map(([path, { columnName = '' }]) => [`${path}/columnName`, columnName] as const);
}

function enricherProblem(
  type: string | undefined,
  properties: Readonly<Record<string, unknown>> | undefined,
): string | undefined {
  if (properties === undefined) return 'The enricher has no properties.';
  const [member, ...others] = Object.keys(properties);
  if (type === 'clpEnricher') {
    const { fields } = properties;
    if (others.length > 0 || (member !== undefined && member !== 'fields')) {
      return 'The enricher has more than fields.';
    }
    return fields === undefined || fields === null || Array.isArray(fields)
      ? undefined
      : 'The fields of the enricher are not a list.';
  }
  if (type !== 'generateColumn') return undefined;
  const { fieldToFunctionMap: functions } = properties;
  if (!isRecord(functions) || others.length > 0) {
    return 'The enricher has a fieldToFunctionMap and nothing else.';
  }
  if (Object.values(functions).includes(null)) return 'A function of the enricher is null.';
  const isScript = Object.values(functions).some(
    (each) => typeof each === 'string' && /^\s*groovy\s*\(/i.test(each),
  );
  return isScript
    ? 'Groovy scripts are not supported: no part of a request is executed as code.'
    : undefined;
}

type Config = CheckedTable['config'];

const prefixesPath = '/ingestionConfig/complexTypeConfig/prefixesToRename';

function renamedPrefixesOf({ ingestionConfig }: Config) {
  return placedMembers(prefixesPath, ingestionConfig?.complexTypeConfig?.prefixesToRename);
}

function* prefixFaults(config: Config, schema: CheckedTable['schema']): Generator<Fault> {
  const renamed = renamedPrefixesOf(config);
  for (const [, from, to] of renamed) {
    if (typeof to !== 'string') yield [prefixesPath, `The new prefix of ${from} is not text.`];
    else if (from === '') yield [prefixesPath, 'An empty prefix is the prefix of every column.'];
  }
  const targets = renamed.map(([, from, to]) => [from, String(to)] as const);
  // The old prefix takes the place of a path here.
  for (const [from, to] of repeated(targets, (prefix) => prefix)) {
    yield [prefixesPath, `${from} and another prefix both become ‘${to}’.`];
  }
  const names = new Set(schema?.columns.map(({ name }) => name));
  for (const name of names) {
    const [, from, to] =
      renamed.find(([, prefix]) => prefix !== '' && name.startsWith(prefix)) ?? [];
    const target =
      from === undefined || typeof to !== 'string' ? name : `${to}${name.slice(from.length)}`;
    if (target !== name && names.has(target)) {
      yield [prefixesPath, `${name} would become ${target}, which exists already.`];
    }
  }
}

const memberNames = [
  'inputDirURI',
  'outputDirURI',
  'stagingDirURI',
  'includeFileNamePattern',
  'excludeFileNamePattern',
  'inputFormat',
  'overwriteOutput',
  'searchRecursively',
];
/** The prefixes of options that are passed to a plug-in. */
const memberPrefixes = [
  'input.fs.',
  'output.fs.',
  'recordReader.',
  'segmentNameGenerator.',
  'push.',
  'batch.',
  'fs.',
  'append.',
];

const fileFormats = [
  'AVRO',
  'GZIPPED_AVRO',
  'CSV',
  'JSON',
  'PINOT',
  'THRIFT',
  'PARQUET',
  'ORC',
  'PROTO',
  'PROTOBUF',
  'OTHER',
];

/** Rules about the source files of a table. */
export const batchRules = [
  warning(
    'BATCH_CONFIG_MEMBER',
    `Members of batchConfigMaps are ${memberNames.join(', ')}, or begin with ${memberPrefixes.join(', ')}.`,
    function* ({ config }) {
      for (const [path, map] of batchConfigsOf(config)) {
        for (const [member, name] of placedMembers(path, map)) {
          const isRead =
            memberNames.includes(name) || memberPrefixes.some((prefix) => name.startsWith(prefix));
          if (!isRead) yield [member, `${name} is not a known member and has no effect.`];
        }
      }
    },
  ),
  error(
    'BATCH_FORMAT',
    `The inputFormat of files is ${fileFormats.join(', ')}, in any case.`,
    function* ({ config }) {
      for (const [path, { inputFormat: format }] of batchConfigsOf(config)) {
        const shown = typeof format === 'string' ? format : typeof format;
        const isKnown =
          format === undefined ||
          (typeof format === 'string' && fileFormats.includes(format.toUpperCase()));
        if (!isKnown) {
          yield [`${path}/inputFormat`, `‘${shown}’ is not one of ${fileFormats.join(', ')}.`];
        }
      }
    },
  ),
];

function batchConfigsOf({ ingestionConfig }: Config) {
  return placed(
    '/ingestionConfig/batchIngestionConfig/batchConfigMaps',
    ingestionConfig?.batchIngestionConfig?.batchConfigMaps,
  );
}

const conforming = rulesAbout(
  'ingestion',
  ({ config }) => config.ingestionConfig?.schemaConformingTransformerConfig !== undefined,
);
const conformingPath = '/ingestionConfig/schemaConformingTransformerConfig';

/** Rules about fields that the schema does not name. */
export const schemaConformingRules = [
  conforming.error(
    'SCHEMA_CONFORMING_COLUMN',
    'Fields that the schema does not name go to a STRING or JSON column of the schema, indexableExtrasField, or to the columns of columnNameToJsonKeyPathMap.',
    function* ({ config, schema }) {
      const {
        enableIndexableExtras = true,
        enableUnindexableExtras = true,
        // Apache Pinot requires this column, whichever of the two kinds of fields is kept.
        indexableExtrasField = 'json_data',
        columnNameToJsonKeyPathMap: paths,
      } = conformingOf(config);
      if (enableIndexableExtras) {
        yield* textualFaults('indexableExtrasField', indexableExtrasField, schema);
      } else if (enableUnindexableExtras && schema !== undefined) {
        yield [`${conformingPath}/enableIndexableExtras`, 'enableUnindexableExtras needs it.'];
      }
      const columns = placedMembers(`${conformingPath}/columnNameToJsonKeyPathMap`, paths);
      yield* unknownColumns(
        columns.map(([path, name]) => [path, name]),
        schema,
      );
    },
  ),
  conforming.warning(
    'SCHEMA_CONFORMING_UNINDEXED',
    'Fields that are not to be indexed go to a STRING or JSON column of the schema, unindexableExtrasField: rows fail without it.',
    ({ config, schema }) => {
      const { enableUnindexableExtras = true, unindexableExtrasField = 'json_data_no_idx' } =
        conformingOf(config);
      return enableUnindexableExtras
        ? textualFaults('unindexableExtrasField', unindexableExtrasField, schema)
        : [];
    },
  ),
  conforming.error(
    'SCHEMA_CONFORMING_FIELD',
    'Columns of the schema are not among fieldPathsToDrop and do not end in unindexableFieldSuffix.',
    function* ({ config, schema }) {
      const { fieldPathsToDrop = [], unindexableFieldSuffix: suffix = '_noindex' } =
        conformingOf(config);
      for (const { name } of schema?.columns ?? []) {
        if (fieldPathsToDrop.includes(name)) {
          yield [`${conformingPath}/fieldPathsToDrop`, `${name} is a column of the schema.`];
        }
        if (name.endsWith(suffix)) {
          yield [
            `${conformingPath}/unindexableFieldSuffix`,
            `The column ${name} ends in ${suffix}.`,
          ];
        }
      }
    },
  ),
];

function conformingOf({ ingestionConfig }: Config) {
  return ingestionConfig?.schemaConformingTransformerConfig ?? {};
}

function* textualFaults(
  member: string,
  name: string,
  schema: CheckedTable['schema'],
): Generator<Fault> {
  const column = columnNamed(name, schema);
  if (schema === undefined || (column !== undefined && storedTypeOf(column) === 'STRING')) return;
  yield [`${conformingPath}/${member}`, `The schema has no STRING or JSON column ${name}.`];
}
