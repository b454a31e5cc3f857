import { type CheckedTable, type Column, type Fault, repeated, type TableRule } from './rule.ts';

const columnLists = [
  'jsonIndexColumns',
  'mapIndexColumns',
  'invertedIndexColumns',
  'noDictionaryColumns',
  'onHeapDictionaryColumns',
  'varLengthDictionaryColumns',
  'bloomFilterColumns',
  'rangeIndexColumns',
  'sortedColumn',
] as const;

/** Rules about indexes and encodings. Those about star-trees are in `star-tree-rules.ts`. */
export const indexRules: readonly TableRule[] = [
  {
    code: 'INDEX_COLUMN_UNKNOWN',
    subject: 'indexes',
    severity: 'error',
    description: 'Columns with an index or an encoding are in the schema.',
    *check({ config, schema }) {
      if (schema === undefined) return;
      for (const [path, name] of indexedColumnsOf(config)) {
        if (columnNamed(name, schema) === undefined) yield { path, message: `The schema has no column ${name}.` };
      }
    },
  },
  {
    code: 'SORTED_COLUMN',
    subject: 'indexes',
    severity: 'error',
    description: 'A table is sorted by at most one column, which has one value in a row.',
    *check({ config, schema }) {
      const sorted = config.tableIndexConfig?.sortedColumn ?? [];
      const path = '/tableIndexConfig/sortedColumn';
      if (sorted.length > 1) yield { path, message: `Rows cannot be sorted by ${sorted.length} columns.` };
      for (const [index, name] of sorted.entries()) {
        if (columnNamed(name, schema)?.isMultiValue === true) {
          yield { path: `${path}/${index}`, message: `${name} holds lists, which have no order.` };
        }
      }
    },
  },
  {
    code: 'INVERTED_NO_DICTIONARY',
    subject: 'indexes',
    severity: 'error',
    description: 'Columns with an inverted index have a dictionary.',
    *check({ config }) {
      const raw = rawColumnsOf(config);
      for (const [index, name] of (config.tableIndexConfig?.invertedIndexColumns ?? []).entries()) {
        const path = `/tableIndexConfig/invertedIndexColumns/${index}`;
        if (raw.has(name)) yield { path, message: `${name} has no dictionary, which an inverted index needs.` };
      }
    },
  },
  {
    code: 'JSON_INDEX_TYPE',
    subject: 'indexes',
    severity: 'error',
    description: 'JSON indexes are of columns of type STRING, JSON or MAP with one value in a row.',
    *check({ config, schema }) {
      for (const [index, name] of (config.tableIndexConfig?.jsonIndexColumns ?? []).entries()) {
        const column = columnNamed(name, schema);
        if (column === undefined) continue;
        const isFit = ['STRING', 'JSON', 'MAP'].includes(column.dataType ?? 'STRING') && !column.isMultiValue;
        const path = `/tableIndexConfig/jsonIndexColumns/${index}`;
        if (!isFit) yield { path, message: `${name} is ${describe(column)}, which holds no JSON.` };
      }
    },
  },
  {
    code: 'TIMESTAMP_INDEX',
    subject: 'indexes',
    severity: 'error',
    description: 'TIMESTAMP indexes are of TIMESTAMP or LONG columns with one value in a row, and name their granularities.',
    *check({ config, schema }) {
      for (const [index, field] of (config.fieldConfigList ?? []).entries()) {
        const path = `/fieldConfigList/${index}`;
        const hasIndex = field.indexType === 'TIMESTAMP' || (field.indexTypes ?? []).includes('TIMESTAMP');
        if (!hasIndex) continue;
        const column = columnNamed(field.name ?? '', schema);
        const isFit = column === undefined || (['TIMESTAMP', 'LONG'].includes(column.dataType ?? '') && !column.isMultiValue);
        if (!isFit) yield { path, message: `${field.name} is ${describe(column)}, not a single TIMESTAMP or LONG.` };
        if ((field.timestampConfig?.granularities ?? []).length === 0) {
          yield { path: `${path}/timestampConfig/granularities`, message: 'The index names no granularities.' };
        }
      }
    },
  },
  {
    code: 'FIELD_CONFIG_NAME',
    subject: 'indexes',
    severity: 'error',
    description: 'Every element of fieldConfigList names a column, and no two the same.',
    *check({ config }) {
      const names = (config.fieldConfigList ?? []).map(({ name = '' }) => name);
      for (const [index, name] of names.entries()) {
        if (name === '') yield { path: `/fieldConfigList/${index}/name`, message: 'The element names no column.' };
      }
      for (const [name, index] of repeated(names)) {
        yield { path: `/fieldConfigList/${index}/name`, message: `There is another element for ${name}.` };
      }
    },
  },
  {
    code: 'ENCODING_CONFLICT',
    subject: 'indexes',
    severity: 'error',
    description: 'encodingType agrees with noDictionaryColumns and noDictionaryConfig.',
    *check({ config }) {
      const { noDictionaryColumns = [], noDictionaryConfig = {} } = config.tableIndexConfig ?? {};
      for (const [index, { name = '', encodingType }] of (config.fieldConfigList ?? []).entries()) {
        if (encodingType !== 'DICTIONARY') continue;
        if (noDictionaryColumns.includes(name) || Object.hasOwn(noDictionaryConfig, name)) {
          const message = `${name} is DICTIONARY here, but among the columns without dictionary.`;
          yield { path: `/fieldConfigList/${index}/encodingType`, message };
        }
      }
    },
  },
  {
    code: 'COMPRESSION_CODEC',
    subject: 'indexes',
    severity: 'error',
    description:
      'MV_ENTRY_DICT is for columns with a dictionary that hold lists, CLP for raw STRING columns, the other codecs for raw ones.',
    *check({ config, schema }) {
      const raw = rawColumnsOf(config);
      for (const [index, { name = '', compressionCodec }] of (config.fieldConfigList ?? []).entries()) {
        if (compressionCodec === undefined) continue;
        const problem = codecProblem(compressionCodec, raw.has(name), columnNamed(name, schema));
        if (problem !== undefined) yield { path: `/fieldConfigList/${index}/compressionCodec`, message: problem };
      }
    },
  },
];

/** Columns that are kept without dictionary. */
export function rawColumnsOf({ tableIndexConfig, fieldConfigList }: CheckedTable['config']): ReadonlySet<string> {
  return new Set([
    ...(tableIndexConfig?.noDictionaryColumns ?? []),
    ...Object.keys(tableIndexConfig?.noDictionaryConfig ?? {}),
    ...(fieldConfigList ?? []).flatMap(({ name, encodingType }) => (encodingType === 'RAW' && name !== undefined ? [name] : [])),
  ]);
}

export function columnNamed(name: string, schema: CheckedTable['schema']): Column | undefined {
  return schema?.columns.find((column) => column.name === name);
}

/** What a column is, for a message. */
export function describe(column: Column | undefined): string {
  return `${column?.dataType ?? 'of no type'}${column?.isMultiValue === true ? ' with lists' : ''}`;
}

function* indexedColumnsOf(config: CheckedTable['config']): Generator<readonly [path: string, name: string]> {
  for (const list of columnLists) {
    for (const [index, name] of (config.tableIndexConfig?.[list] ?? []).entries()) {
      yield [`/tableIndexConfig/${list}/${index}`, name];
    }
  }
  for (const [index, { name = '' }] of (config.fieldConfigList ?? []).entries()) {
    if (name !== '') yield [`/fieldConfigList/${index}/name`, name];
  }
  const partitioned = config.tableIndexConfig?.segmentPartitionConfig?.columnPartitionMap ?? {};
  for (const name of Object.keys(partitioned)) yield ['/tableIndexConfig/segmentPartitionConfig/columnPartitionMap', name];
}

function codecProblem(codec: string, isRaw: boolean, column: Column | undefined): Fault['message'] | undefined {
  if (codec === 'MV_ENTRY_DICT') {
    if (isRaw) return 'MV_ENTRY_DICT needs a dictionary.';
    return column?.isMultiValue === false ? 'MV_ENTRY_DICT is for columns that hold lists.' : undefined;
  }
  if (!isRaw) return `${codec} is for columns without dictionary.`;
  const isText = column === undefined || (column.dataType ?? 'STRING') === 'STRING';
  return codec.startsWith('CLP') && !isText ? `${codec} is for STRING columns.` : undefined;
}

/** Rules about star-trees. */
export const starTreeRules: readonly TableRule[] = [
  {
    code: 'STAR_TREE_DIMENSION',
    subject: 'indexes',
    severity: 'error',
    description: 'A star-tree has dimensions, which are columns of the schema with a dictionary and one value in a row.',
    *check({ config, schema }) {
      const raw = rawColumnsOf(config);
      for (const [path, { dimensionsSplitOrder = [] }] of starTreesOf(config)) {
        if (dimensionsSplitOrder.length === 0) {
          yield { path: `${path}/dimensionsSplitOrder`, message: 'The star-tree has no dimensions.' };
        }
        for (const [index, name] of dimensionsSplitOrder.entries()) {
          const itemPath = `${path}/dimensionsSplitOrder/${index}`;
          const column = columnNamed(name, schema);
          if (schema !== undefined && column === undefined) {
            yield { path: itemPath, message: `The schema has no column ${name}.` };
          }
          if (column?.isMultiValue === true) yield { path: itemPath, message: `${name} holds lists.` };
          if (raw.has(name)) yield { path: itemPath, message: `${name} has no dictionary.` };
        }
      }
    },
  },
  {
    code: 'STAR_TREE_SKIPPED',
    subject: 'indexes',
    severity: 'error',
    description: 'Dimensions without star nodes are dimensions of the star-tree.',
    *check({ config }) {
      for (const [path, { dimensionsSplitOrder = [], skipStarNodeCreationForDimensions = [] }] of starTreesOf(config)) {
        for (const [index, name] of skipStarNodeCreationForDimensions.entries()) {
          const itemPath = `${path}/skipStarNodeCreationForDimensions/${index}`;
          if (!dimensionsSplitOrder.includes(name)) yield { path: itemPath, message: `${name} is not in dimensionsSplitOrder.` };
        }
      }
    },
  },
  {
    code: 'STAR_TREE_FUNCTION_PAIR',
    subject: 'indexes',
    severity: 'error',
    description:
      'A star-tree aggregates something: FUNCTION__column of functionColumnPairs, or aggregationConfigs, with columns of the schema.',
    *check({ config, schema }) {
      for (const [path, { functionColumnPairs = [], aggregationConfigs = [] }] of starTreesOf(config)) {
        if (functionColumnPairs.length + aggregationConfigs.length === 0) {
          yield { path: `${path}/functionColumnPairs`, message: 'The star-tree aggregates nothing.' };
        }
        for (const [index, pair] of functionColumnPairs.entries()) {
          const itemPath = `${path}/functionColumnPairs/${index}`;
          const [, column] = /^[A-Za-z0-9]+__(.+)$/.exec(pair) ?? [];
          if (column === undefined) {
            yield { path: itemPath, message: `‘${pair}’ is not of the form FUNCTION__column, such as SUM__price.` };
          } else if (column !== '*' && schema !== undefined && columnNamed(column, schema) === undefined) {
            yield { path: itemPath, message: `The schema has no column ${column}.` };
          }
        }
      }
    },
  },
];

type StarTree = NonNullable<NonNullable<CheckedTable['config']['tableIndexConfig']>['starTreeIndexConfigs']>[number];

function starTreesOf(config: CheckedTable['config']): readonly (readonly [path: string, tree: StarTree])[] {
  return (config.tableIndexConfig?.starTreeIndexConfigs ?? []).map((tree, index) => [
    `/tableIndexConfig/starTreeIndexConfigs/${index}`,
    tree,
  ]);
}
