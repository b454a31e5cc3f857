import { isRecord } from '../model/document.ts';
import { batchMemberPrefixes, batchMembers, isBatchMember } from '../sources/batch-config.ts';
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
  error('FILTER_EMPTY', 'A filterFunction, if present, must not be empty.', function* ({ config }) {
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
    'A transform must have a columnName and a transformFunction.',
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
  error('TRANSFORM_DUPLICATE', 'Transforms must compute different columns.', ({ config }) =>
    repeated(
      columnNamesOf(transformsOf(config)),
      (name) => `Another transform already computes ${name}.`,
    ),
  ),
  error(
    'ENRICHER_TYPE',
    `enricherType must be one of ${enricherTypes.join(', ')}.`,
    function* ({ config }) {
      for (const [path, { enricherType: type = '' }] of enrichersOf(config)) {
        if (enricherTypes.includes(type)) continue;
        yield [`${path}/enricherType`, `‘${type}’ is not one of ${enricherTypes.join(', ')}.`];
      }
    },
  ),
  error(
    'ENRICHER_PROPERTIES',
    'Every enricher must have properties: generateColumn only a fieldToFunctionMap without Groovy, clpEnricher only fields.',
    function* ({ config }) {
      for (const [path, { enricherType, properties }] of enrichersOf(config)) {
        const problem = enricherProblem(enricherType, properties);
        if (problem !== undefined) yield [`${path}/properties`, problem];
      }
    },
  ),
  error(
    'PREFIX_IN_SCHEMA',
    'No column of the schema may start with a prefix of prefixesToRename.',
    function* ({ config, schema }) {
      for (const [path, prefix] of renamedPrefixesOf(config)) {
        const column = schema?.columns.find(({ name }) => name.startsWith(prefix));
        if (column !== undefined) {
          yield [
            path,
            `The column ${column.name} starts with ${prefix}, which prefixesToRename replaces.`,
          ];
        }
      }
    },
  ),
  warning(
    'PREFIX_RENAME_CONFLICT',
    'The new prefixes of prefixesToRename should be different texts that rename no column to an existing one.',
    ({ config, schema }) => prefixFaults(config, schema),
  ),
  error(
    'AGGREGATION_INCOMPLETE',
    `An aggregation must have a columnName and a function of one column with values of a fixed size: ${ingestedAggregations.join(', ')}.`,
    function* ({ config, schema }) {
      for (const [path, { columnName = '', aggregationFunction = '' }] of aggregationsOf(config)) {
        if (columnName === '') yield [`${path}/columnName`, 'The aggregation has no columnName.'];
        const type = columnNamed(columnName, schema)?.dataType;
        const problem = aggregationProblem(aggregationFunction, type);
        if (problem !== undefined) yield [`${path}/aggregationFunction`, problem];
      }
    },
  ),
  error('AGGREGATION_DUPLICATE', 'Aggregations must compute different metrics.', ({ config }) =>
    repeated(
      columnNamesOf(aggregationsOf(config)),
      (name) => `Another aggregation already computes ${name}.`,
    ),
  ),
  error(
    'AGGREGATION_METRICS',
    'Aggregations, if present, must compute all metrics of the schema and no other columns.',
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
          `These metrics have no aggregation: ${missing.join(', ')}.`,
        ];
      }
    },
  ),
  error(
    'AGGREGATION_DICTIONARY',
    'Aggregated metrics must not have a dictionary.',
    function* ({ config }) {
      const { noDictionaryColumns = [], noDictionaryConfig = {} } = config.tableIndexConfig ?? {};
      const raw = (config.fieldConfigList ?? [])
        .filter(({ encodingType }) => encodingType === 'RAW')
        .map(({ name }) => name);
      for (const [path, name] of columnNamesOf(aggregationsOf(config))) {
        if (name === '' || noDictionaryColumns.includes(name) || raw.includes(name)) continue;
        if (!Object.hasOwn(noDictionaryConfig, name)) {
          yield [path, `The aggregated metric ${name} must be in noDictionaryColumns.`];
        }
      }
    },
  ),
  error(
    'AGGREGATION_UPSERT',
    'Aggregations cannot be combined with upsert or dedup.',
    function* ({ config }) {
      if (aggregationsOf(config).length > 0 && hasKeys(config)) {
        yield [
          '/ingestionConfig/aggregationConfigs',
          'Aggregations cannot be combined with upsert or dedup.',
        ];
      }
    },
  ),
  error(
    'AGGREGATE_METRICS',
    'aggregateMetrics cannot be combined with aggregationConfigs, upsert or dedup.',
    function* ({ config }) {
      if (config.tableIndexConfig?.aggregateMetrics !== true) return;
      const path = '/tableIndexConfig/aggregateMetrics';
      if (aggregationsOf(config).length > 0) {
        yield [
          path,
          'aggregateMetrics cannot be combined with aggregationConfigs: remove one of them.',
        ];
      }
      if (hasKeys(config)) {
        yield [path, 'aggregateMetrics cannot be combined with upsert or dedup.'];
      }
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
      return 'A clpEnricher cannot have properties other than fields.';
    }
    return fields === undefined || fields === null || isListOfTexts(fields)
      ? undefined
      : 'The fields of a clpEnricher must be a list of texts.';
  }
  if (type !== 'generateColumn') return undefined;
  const { fieldToFunctionMap: functions } = properties;
  if (!isRecord(functions) || others.length > 0) {
    return 'A generateColumn enricher must have the property fieldToFunctionMap and no other.';
  }
  if (Object.values(functions).includes(null)) return 'A function in fieldToFunctionMap is null.';
  if (!isListOfTexts(Object.values(functions))) {
    return 'A function in fieldToFunctionMap is not text.';
  }
  const isScript = Object.values(functions).some(
    (each) => typeof each === 'string' && /^\s*groovy\s*\(/i.test(each),
  );
  return isScript
    ? 'Groovy scripts are not supported: code in requests is never executed.'
    : undefined;
}

function isListOfTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((each) => each === null || typeof each !== 'object');
}

type Config = CheckedTable['config'];

const prefixesPath = '/ingestionConfig/complexTypeConfig/prefixesToRename';

function renamedPrefixesOf({ ingestionConfig }: Config) {
  return placedMembers(prefixesPath, ingestionConfig?.complexTypeConfig?.prefixesToRename);
}

function* prefixFaults(config: Config, schema: CheckedTable['schema']): Generator<Fault> {
  const renamed = renamedPrefixesOf(config);
  for (const [, from, to] of renamed) {
    if (typeof to !== 'string') yield [prefixesPath, `The new prefix for ${from} is not text.`];
    else if (from === '') {
      yield [prefixesPath, 'An empty prefix cannot be renamed: every column starts with it.'];
    }
  }
  const targets = renamed.map(([, from, to]) => [from, String(to)] as const);
  // The old prefix is used as the path here.
  for (const [from, to] of repeated(targets, (prefix) => prefix)) {
    yield [prefixesPath, `${from} and another prefix are both renamed to ‘${to}’.`];
  }
  const names = new Set(schema?.columns.map(({ name }) => name));
  for (const name of names) {
    const [, from, to] =
      renamed.find(([, prefix]) => prefix !== '' && name.startsWith(prefix)) ?? [];
    const target =
      from === undefined || typeof to !== 'string' ? name : `${to}${name.slice(from.length)}`;
    if (target !== name && names.has(target)) {
      yield [prefixesPath, `${name} would be renamed to ${target}, which already exists.`];
    }
  }
}

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
    `Members of batchConfigMaps should be ${batchMembers.join(', ')}, or start with ${batchMemberPrefixes.join(', ')}.`,
    function* ({ config }) {
      for (const [path, map] of batchConfigsOf(config)) {
        for (const [member, name] of placedMembers(path, map)) {
          if (!isBatchMember(name)) {
            yield [member, `${name} is not a known member and has no effect.`];
          }
        }
      }
    },
  ),
  error(
    'BATCH_FORMAT',
    `The inputFormat of files must be one of ${fileFormats.join(', ')}, in any case.`,
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
    'indexableExtrasField, for fields outside the schema, must be a STRING or JSON column of the schema; columns of columnNameToJsonKeyPathMap must be in the schema.',
    function* ({ config, schema }) {
      const {
        enableIndexableExtras = true,
        enableUnindexableExtras = true,
        // Apache Pinot requires this column for both kinds of fields.
        indexableExtrasField = 'json_data',
        columnNameToJsonKeyPathMap: paths,
      } = conformingOf(config);
      if (enableIndexableExtras) {
        yield* textualFaults('indexableExtrasField', indexableExtrasField, schema);
      } else if (enableUnindexableExtras && schema !== undefined) {
        yield [
          `${conformingPath}/enableIndexableExtras`,
          'enableUnindexableExtras requires enableIndexableExtras.',
        ];
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
    'unindexableExtrasField, for fields that are not indexed, should be a STRING or JSON column of the schema: without it, rows fail.',
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
    'Columns of the schema must not be in fieldPathsToDrop or end in unindexableFieldSuffix; fieldPathsToPreserveInput must name columns of the schema or paths of columnNameToJsonKeyPathMap.',
    function* ({ config, schema }) {
      const {
        fieldPathsToDrop = [],
        unindexableFieldSuffix: suffix = '_noindex',
        fieldPathsToPreserveInput: preserved,
        columnNameToJsonKeyPathMap: paths = {},
      } = conformingOf(config);
      const mapped = Object.values(paths).map(String);
      yield* unknownColumns(
        placed(`${conformingPath}/fieldPathsToPreserveInput`, preserved).filter(
          ([, path]) => !mapped.includes(path),
        ),
        schema,
      );
      for (const { name } of schema?.columns ?? []) {
        if (fieldPathsToDrop.includes(name)) {
          yield [
            `${conformingPath}/fieldPathsToDrop`,
            `${name} is a column of the schema and cannot be dropped.`,
          ];
        }
        if (name.endsWith(suffix)) {
          yield [
            `${conformingPath}/unindexableFieldSuffix`,
            `The column ${name} ends in ${suffix}, which marks fields that are not indexed.`,
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
