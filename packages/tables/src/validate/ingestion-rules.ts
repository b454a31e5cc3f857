import { pointerTo } from '../finding.ts';
import { ingestedAggregations } from './aggregations.ts';
import { hasKeys } from './keys.ts';
import { type CheckedTable, type Fault, repeated, type TableRule } from './rule.ts';

const enricherTypes = ['generateColumn', 'clpEnricher'];

/** Rules about how rows come into a table. Those about its expressions are in `expression-rules.ts`. */
export const ingestionRules: readonly TableRule[] = [
  {
    code: 'TRANSFORM_INCOMPLETE',
    subject: 'ingestion',
    severity: 'error',
    description: 'A transform names its column and has an expression.',
    *check({ config }) {
      for (const [index, transform] of (config.ingestionConfig?.transformConfigs ?? []).entries()) {
        for (const member of ['columnName', 'transformFunction'] as const) {
          const path = `/ingestionConfig/transformConfigs/${index}/${member}`;
          if ((transform[member] ?? '').trim() === '') yield { path, message: `The transform has no ${member}.` };
        }
      }
    },
  },
  {
    code: 'TRANSFORM_DUPLICATE',
    subject: 'ingestion',
    severity: 'error',
    description: 'No two transforms make the same column.',
    *check({ config }) {
      const names = (config.ingestionConfig?.transformConfigs ?? []).map(({ columnName = '' }) => columnName);
      for (const [name, index] of repeated(names)) {
        yield { path: `/ingestionConfig/transformConfigs/${index}/columnName`, message: `Another transform makes ${name}.` };
      }
    },
  },
  {
    code: 'ENRICHER_TYPE',
    subject: 'ingestion',
    severity: 'error',
    description: `Enrichers are ${enricherTypes.join(', ')}.`,
    *check({ config }) {
      for (const [index, { enricherType = '' }] of (config.ingestionConfig?.enrichmentConfigs ?? []).entries()) {
        if (!enricherTypes.includes(enricherType)) {
          const path = `/ingestionConfig/enrichmentConfigs/${index}/enricherType`;
          yield { path, message: `‘${enricherType}’ is not one of ${enricherTypes.join(', ')}.` };
        }
      }
    },
  },
  {
    code: 'PREFIX_RENAME_CONFLICT',
    subject: 'ingestion',
    severity: 'warning',
    description:
      'New prefixes of columns are texts that are all different, and no column is renamed to one that is there already.',
    check: ({ config, schema }) => prefixFaults(config, schema),
  },
  {
    code: 'AGGREGATION_INCOMPLETE',
    subject: 'ingestion',
    severity: 'error',
    description: `An aggregation names its column and has a function of one column: ${ingestedAggregations.join(', ')}.`,
    *check({ config }) {
      for (const [index, { columnName = '', aggregationFunction = '' }] of aggregationsOf(config).entries()) {
        const path = `/ingestionConfig/aggregationConfigs/${index}`;
        if (columnName === '') yield { path: `${path}/columnName`, message: 'The aggregation has no column.' };
        const name = /^(\w+)\s*\(\s*[\w.$*"-]+(\s*,[^()]*)?\)$/.exec(aggregationFunction.trim())?.[1];
        if (name === undefined || !ingestedAggregations.includes(name.replaceAll('_', '').toUpperCase())) {
          const message = `‘${aggregationFunction}’ is not an aggregation of a column, such as SUM(price).`;
          yield { path: `${path}/aggregationFunction`, message };
        }
      }
    },
  },
  {
    code: 'AGGREGATION_DUPLICATE',
    subject: 'ingestion',
    severity: 'error',
    description: 'No two aggregations give the same metric.',
    *check({ config }) {
      for (const [name, index] of repeated(aggregationsOf(config).map(({ columnName = '' }) => columnName))) {
        yield { path: `/ingestionConfig/aggregationConfigs/${index}/columnName`, message: `Another aggregation gives ${name}.` };
      }
    },
  },
  {
    code: 'AGGREGATION_METRICS',
    subject: 'ingestion',
    severity: 'error',
    description: 'Aggregations give metrics of the schema, and then all of them.',
    *check({ config, schema }) {
      const names = aggregationsOf(config).map(({ columnName = '' }) => columnName);
      if (names.length === 0 || schema === undefined) return;
      const metrics = schema.columns.filter(({ kind }) => kind === 'metric').map(({ name }) => name);
      for (const [index, name] of names.entries()) {
        if (name !== '' && !metrics.includes(name)) {
          yield {
            path: `/ingestionConfig/aggregationConfigs/${index}/columnName`,
            message: `${name} is not a metric of the schema.`,
          };
        }
      }
      const missing = metrics.filter((metric) => !names.includes(metric));
      if (missing.length > 0) {
        yield { path: '/ingestionConfig/aggregationConfigs', message: `Not all metrics are aggregated: ${missing.join(', ')}.` };
      }
    },
  },
  {
    code: 'AGGREGATION_DICTIONARY',
    subject: 'ingestion',
    severity: 'error',
    description: 'Metrics that are aggregated have no dictionary.',
    *check({ config }) {
      const { noDictionaryColumns = [], noDictionaryConfig = {} } = config.tableIndexConfig ?? {};
      const raw = (config.fieldConfigList ?? []).filter(({ encodingType }) => encodingType === 'RAW').map(({ name }) => name);
      for (const [index, { columnName = '' }] of aggregationsOf(config).entries()) {
        if (columnName === '' || noDictionaryColumns.includes(columnName) || raw.includes(columnName)) continue;
        if (Object.hasOwn(noDictionaryConfig, columnName)) continue;
        const path = `/ingestionConfig/aggregationConfigs/${index}/columnName`;
        yield { path, message: `${columnName} is not among noDictionaryColumns.` };
      }
    },
  },
  {
    code: 'AGGREGATION_UPSERT',
    subject: 'ingestion',
    severity: 'error',
    description: 'Tables with upsert or dedup have no aggregations.',
    *check({ config }) {
      if (aggregationsOf(config).length > 0 && hasKeys(config)) {
        yield { path: '/ingestionConfig/aggregationConfigs', message: 'Rows that were added up cannot be replaced or dropped.' };
      }
    },
  },
];

function aggregationsOf(config: CheckedTable['config']) {
  return config.ingestionConfig?.aggregationConfigs ?? [];
}

function* prefixFaults(config: CheckedTable['config'], schema: CheckedTable['schema']): Generator<Fault> {
  const renamed = Object.entries(config.ingestionConfig?.complexTypeConfig?.prefixesToRename ?? {});
  const path = '/ingestionConfig/complexTypeConfig/prefixesToRename';
  for (const [from, to] of renamed) {
    if (typeof to !== 'string') yield { path, message: `The new prefix of ${from} is not text.` };
    else if (from === '') yield { path, message: 'An empty prefix is the prefix of every column.' };
  }
  for (const [to, index] of repeated(renamed.map(([, prefix]) => String(prefix)))) {
    yield { path, message: `${renamed[index]?.[0]} and another prefix both become ‘${to}’.` };
  }
  const names = new Set((schema?.columns ?? []).map(({ name }) => name));
  for (const name of names) {
    const [from, to] = renamed.find(([prefix]) => prefix !== '' && name.startsWith(prefix)) ?? [];
    const target = from === undefined || typeof to !== 'string' ? name : `${to}${name.slice(from.length)}`;
    if (target !== name && names.has(target)) yield { path, message: `${name} would become ${target}, which is there already.` };
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
/** Beginnings of the names of options that go to a plug-in. */
const memberPrefixes = ['input.fs.', 'output.fs.', 'recordReader.', 'segmentNameGenerator.', 'push.', 'batch.', 'fs.', 'append.'];

/** Rules about where files of a table come from. */
export const batchRules: readonly TableRule[] = [
  {
    code: 'BATCH_CONFIG_MEMBER',
    subject: 'ingestion',
    severity: 'warning',
    description: `Members of batchConfigMaps are ${memberNames.join(', ')}, or begin with ${memberPrefixes.join(', ')}.`,
    *check({ config }) {
      for (const [index, map] of (config.ingestionConfig?.batchIngestionConfig?.batchConfigMaps ?? []).entries()) {
        for (const name of Object.keys(map)) {
          if (memberNames.includes(name) || memberPrefixes.some((prefix) => name.startsWith(prefix))) continue;
          const path = pointerTo('/ingestionConfig/batchIngestionConfig/batchConfigMaps', index, name);
          yield { path, message: `Nothing reads ${name}.` };
        }
      }
    },
  },
];
