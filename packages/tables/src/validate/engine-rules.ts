import { pointerTo } from '../finding.ts';
import type { CheckedTable, Fault, TableRule } from './rule.ts';

type IndexingConfig = NonNullable<CheckedTable['config']['tableIndexConfig']>;

const fixedWidthTypes: readonly (string | undefined)[] = ['INT', 'LONG', 'FLOAT', 'DOUBLE', 'BOOLEAN', 'TIMESTAMP'];

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
  refused('ENRICHER_PROPERTIES', 'ingestion', 'Every enricher has properties.', function* ({ config }) {
    for (const [index, { properties }] of (config.ingestionConfig?.enrichmentConfigs ?? []).entries()) {
      if (properties === undefined) {
        yield { path: `/ingestionConfig/enrichmentConfigs/${index}/properties`, message: 'The enricher has no properties.' };
      }
    }
  }),
  refused(
    'VAR_LENGTH_TYPE',
    'indexes',
    'Columns of varLengthDictionaryColumns hold values of different lengths.',
    function* ({ config, schema }) {
      for (const [index, name] of (config.tableIndexConfig?.varLengthDictionaryColumns ?? []).entries()) {
        const dataType = schema?.columns.find((column) => column.name === name)?.dataType;
        if (!fixedWidthTypes.includes(dataType) || dataType === undefined) continue;
        yield {
          path: `/tableIndexConfig/varLengthDictionaryColumns/${index}`,
          message: `All values of ${name}, of type ${dataType}, have one length.`,
        };
      }
    },
  ),
  refused(
    'INDEX_OPTIONS_COLUMN',
    'indexes',
    'Columns of noDictionaryConfig, bloomFilterConfigs and jsonIndexConfigs are in the schema.',
    function* ({ config, schema }) {
      const indexing: IndexingConfig = config.tableIndexConfig ?? {};
      for (const member of ['noDictionaryConfig', 'bloomFilterConfigs', 'jsonIndexConfigs'] as const) {
        for (const name of Object.keys(indexing[member] ?? {})) {
          if (schema === undefined || schema.columns.some((column) => column.name === name)) continue;
          yield { path: pointerTo('/tableIndexConfig', member, name), message: `There is no column ${name} in the schema.` };
        }
      }
    },
  ),
  refused('BLOOM_FILTER_FPP', 'indexes', 'The fpp of a Bloom filter lies between 0 and 1.', function* ({ config }) {
    for (const [name, options] of Object.entries(config.tableIndexConfig?.bloomFilterConfigs ?? {})) {
      const fpp = typeof options === 'object' && options !== null && 'fpp' in options ? options.fpp : undefined;
      if (typeof fpp !== 'number' || (fpp > 0 && fpp < 1)) continue;
      yield {
        path: pointerTo('/tableIndexConfig/bloomFilterConfigs', name, 'fpp'),
        message: `${fpp} is not a probability between 0 and 1.`,
      };
    }
  }),
  refused('PARTITION_SINGLE_VALUE', 'segments', 'Partitioned columns hold single values.', function* ({ config, schema }) {
    for (const name of Object.keys(config.tableIndexConfig?.segmentPartitionConfig?.columnPartitionMap ?? {})) {
      if (schema?.columns.some((column) => column.name === name && column.isMultiValue) !== true) continue;
      const path = pointerTo('/tableIndexConfig/segmentPartitionConfig/columnPartitionMap', name);
      yield { path, message: `${name} holds several values, which have no one partition.` };
    }
  }),
  refused('STAR_TREE_STAR', 'indexes', 'Only COUNT aggregates * in a star-tree.', function* ({ config }) {
    for (const [tree, { functionColumnPairs = [] }] of (config.tableIndexConfig?.starTreeIndexConfigs ?? []).entries()) {
      for (const [index, pair] of functionColumnPairs.entries()) {
        if (!pair.endsWith('__*') || /^count__/i.test(pair)) continue;
        const path = `/tableIndexConfig/starTreeIndexConfigs/${tree}/functionColumnPairs/${index}`;
        yield { path, message: `${pair} aggregates no column: name one, as in SUM__price.` };
      }
    }
  }),
];

function refused(
  code: string,
  subject: TableRule['subject'],
  description: string,
  check: (checked: CheckedTable) => Iterable<Fault>,
): TableRule {
  return { code, subject, severity: 'error', description, check };
}
