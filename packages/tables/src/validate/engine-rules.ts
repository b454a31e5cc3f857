import { pointerTo } from '../finding.ts';
import { isRecord } from '../model/document.ts';
import { columnNamed, storedTypeOf } from './column-indexes.ts';
import { hasKeys } from './keys.ts';
import type { CheckedTable, Fault, TableRule } from './rule.ts';
import { requiredMembers } from './value-rule.ts';

const fileFormats = ['AVRO', 'GZIPPED_AVRO', 'CSV', 'JSON', 'PINOT', 'THRIFT', 'PARQUET', 'ORC', 'PROTO', 'PROTOBUF', 'OTHER'];

/** Rules that only the engine's own checks showed: it refuses such a table. */
export const engineRules: readonly TableRule[] = [
  refused('FILTER_EMPTY', 'ingestion', 'A filterFunction that is there is not empty.', function* ({ config }) {
    const text = config.ingestionConfig?.filterConfig?.filterFunction;
    if (text !== undefined && text.trim() === '') {
      yield {
        path: '/ingestionConfig/filterConfig/filterFunction',
        message: 'The filterFunction is empty: leave it out to keep all rows.',
      };
    }
  }),
  refused('TIME_COLUMN_EMPTY', 'time column', 'A timeColumnName that is there is not empty.', function* ({ config }) {
    if (config.segmentsConfig?.timeColumnName === '') {
      yield {
        path: '/segmentsConfig/timeColumnName',
        message: 'The timeColumnName is empty: leave it out where the table has no time.',
      };
    }
  }),
  refused(
    'PREFIX_IN_SCHEMA',
    'ingestion',
    'No column of the schema begins with a prefix of prefixesToRename.',
    function* ({ config, schema }) {
      const prefixes = Object.keys(config.ingestionConfig?.complexTypeConfig?.prefixesToRename ?? {});
      for (const prefix of prefixes) {
        const column = schema?.columns.find(({ name }) => name.startsWith(prefix));
        if (column === undefined) continue;
        const path = pointerTo('/ingestionConfig/complexTypeConfig/prefixesToRename', prefix);
        yield { path, message: `The column ${column.name} begins with ${prefix}, which is renamed.` };
      }
    },
  ),
  refused(
    'ENRICHER_PROPERTIES',
    'ingestion',
    'Every enricher has properties: generateColumn a fieldToFunctionMap without Groovy, clpEnricher its fields.',
    function* ({ config }) {
      for (const [index, { enricherType, properties }] of (config.ingestionConfig?.enrichmentConfigs ?? []).entries()) {
        const path = `/ingestionConfig/enrichmentConfigs/${index}/properties`;
        const problem = enricherProblem(enricherType, properties);
        if (problem !== undefined) yield { path, message: problem };
      }
    },
  ),
  requiredMembers('MEMBER_MISSING', 'names', 'Sections that are there have the members that say what they are about.', [
    '/task/taskTypeConfigsMap',
    '/segmentsConfig/completionConfig/completionMode',
    '/tableIndexConfig/segmentPartitionConfig/columnPartitionMap',
    '/tableIndexConfig/segmentPartitionConfig/columnPartitionMap/*/functionName',
    '/fieldConfigList/*/name',
    '/tunerConfigs/*/name',
  ]),
  refused(
    'BATCH_FORMAT',
    'ingestion',
    `The inputFormat of files is ${fileFormats.join(', ')}, in any case.`,
    function* ({ config }) {
      for (const [index, { inputFormat }] of (config.ingestionConfig?.batchIngestionConfig?.batchConfigMaps ?? []).entries()) {
        const isKnown = typeof inputFormat === 'string' && fileFormats.includes(inputFormat.toUpperCase());
        if (inputFormat === undefined || isKnown) continue;
        const path = `/ingestionConfig/batchIngestionConfig/batchConfigMaps/${index}/inputFormat`;
        yield {
          path,
          message: `‘${typeof inputFormat === 'string' ? inputFormat : typeof inputFormat}’ is not one of ${fileFormats.join(', ')}.`,
        };
      }
    },
  ),
  refused(
    'SCHEMA_CONFORMING_COLUMN',
    'ingestion',
    'Fields that the schema does not name go to a STRING or JSON column of the schema, indexableExtrasField, or to the columns of columnNameToJsonKeyPathMap.',
    function* ({ config, schema }) {
      const conforming = config.ingestionConfig?.schemaConformingTransformerConfig;
      if (conforming === undefined || schema === undefined) return;
      const { enableIndexableExtras = true, enableUnindexableExtras = true } = conforming;
      const path = '/ingestionConfig/schemaConformingTransformerConfig';
      // Pinot looks for this column, whichever of the two kinds of fields is kept.
      const name = conforming.indexableExtrasField ?? 'json_data';
      if (enableIndexableExtras ? !isTextual(name, schema) : enableUnindexableExtras) {
        const message = enableIndexableExtras
          ? `The schema has no STRING or JSON column ${name}.`
          : 'enableUnindexableExtras needs it.';
        yield { path: `${path}/${enableIndexableExtras ? 'indexableExtrasField' : 'enableIndexableExtras'}`, message };
      }
      for (const name of Object.keys(conforming.columnNameToJsonKeyPathMap ?? {})) {
        if (columnNamed(name, schema) === undefined) {
          yield { path: pointerTo(path, 'columnNameToJsonKeyPathMap', name), message: `The schema has no column ${name}.` };
        }
      }
    },
  ),
  {
    ...refused(
      'SCHEMA_CONFORMING_UNINDEXED',
      'ingestion',
      'Fields that are not to be indexed go to a STRING or JSON column of the schema, unindexableExtrasField: rows fail without it.',
      function* ({ config, schema }) {
        const conforming = config.ingestionConfig?.schemaConformingTransformerConfig;
        const name = conforming?.unindexableExtrasField ?? 'json_data_no_idx';
        if (conforming === undefined || schema === undefined || conforming.enableUnindexableExtras === false) return;
        if (isTextual(name, schema)) return;
        const path = '/ingestionConfig/schemaConformingTransformerConfig/unindexableExtrasField';
        yield { path, message: `The schema has no STRING or JSON column ${name}.` };
      },
    ),
    severity: 'warning',
  },
  refused(
    'SCHEMA_CONFORMING_FIELD',
    'ingestion',
    'Columns of the schema are not among fieldPathsToDrop, do not end in unindexableFieldSuffix, and fieldPathsToPreserveInput are columns.',
    function* ({ config, schema }) {
      const conforming = config.ingestionConfig?.schemaConformingTransformerConfig;
      if (conforming === undefined || schema === undefined) return;
      const { fieldPathsToDrop = [], unindexableFieldSuffix = '_noindex' } = conforming;
      const path = '/ingestionConfig/schemaConformingTransformerConfig';
      for (const { name } of schema.columns) {
        if (fieldPathsToDrop.includes(name)) {
          yield { path: `${path}/fieldPathsToDrop`, message: `${name} is a column of the schema.` };
        }
        if (name.endsWith(unindexableFieldSuffix)) {
          yield { path: `${path}/unindexableFieldSuffix`, message: `The column ${name} ends in ${unindexableFieldSuffix}.` };
        }
      }
    },
  ),
  refused(
    'AGGREGATE_METRICS',
    'ingestion',
    'aggregateMetrics stands neither beside aggregationConfigs nor in a table with upsert or dedup.',
    function* ({ config }) {
      if (config.tableIndexConfig?.aggregateMetrics !== true) return;
      const others = config.ingestionConfig?.aggregationConfigs ?? [];
      const path = '/tableIndexConfig/aggregateMetrics';
      if (others.length > 0) yield { path, message: 'There are aggregationConfigs as well.' };
      if (hasKeys(config)) yield { path, message: 'Rows that were added up cannot be replaced or dropped.' };
    },
  ),
  refused('TABLE_NAME_UNDERSCORES', 'names', 'Names of tables have no two underscores together.', function* ({ config }) {
    if (config.tableName?.includes('__') === true) {
      yield { path: '/tableName', message: `The name ${config.tableName} has ‘__’ in it, which parts the names of segments.` };
    }
  }),
  refused('PARTITION_SINGLE_VALUE', 'segments', 'Partitioned columns hold single values.', function* ({ config, schema }) {
    for (const name of Object.keys(config.tableIndexConfig?.segmentPartitionConfig?.columnPartitionMap ?? {})) {
      if (schema?.columns.some((column) => column.name === name && column.isMultiValue) !== true) continue;
      const path = pointerTo('/tableIndexConfig/segmentPartitionConfig/columnPartitionMap', name);
      yield { path, message: `${name} holds several values, which have no one partition.` };
    }
  }),
];

function enricherProblem(
  type: string | undefined,
  properties: Readonly<Record<string, unknown>> | undefined,
): string | undefined {
  if (properties === undefined) return 'The enricher has no properties.';
  const [member, ...others] = Object.keys(properties);
  if (type === 'clpEnricher') {
    return member === 'fields' && others.length === 0 ? undefined : 'The enricher has more than fields.';
  }
  if (type !== 'generateColumn') return undefined;
  const { fieldToFunctionMap: functions } = properties;
  if (!isRecord(functions) || others.length > 0) return 'The enricher has a fieldToFunctionMap and nothing else.';
  const isScript = Object.values(functions).some((each) => typeof each === 'string' && /^\s*groovy\s*\(/i.test(each));
  return isScript ? 'Groovy scripts are not run here: nothing that comes with a request is executed as code.' : undefined;
}

function isTextual(name: string, schema: CheckedTable['schema']): boolean {
  const column = columnNamed(name, schema);
  return column !== undefined && storedTypeOf(column) === 'STRING';
}

function refused(
  code: string,
  subject: TableRule['subject'],
  description: string,
  check: (checked: CheckedTable) => Iterable<Fault>,
): TableRule {
  return { code, subject, severity: 'error', description, check };
}
