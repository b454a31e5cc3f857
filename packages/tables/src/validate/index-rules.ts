import { isRecord } from '../model/document.ts';
import { columnNamed, describe, type IndexPlaces, indexesOf, rawColumnsOf, storedTypeOf } from './column-indexes.ts';
import { indexKindRules, indexKinds, isStoredAs } from './index-kinds.ts';
import { type CheckedTable, type Column, type Fault, repeated, type TableRule } from './rule.ts';

/** Rules about indexes and encodings of single columns. */
export const indexRules: readonly TableRule[] = [
  {
    code: 'INDEX_COLUMN_UNKNOWN',
    subject: 'indexes',
    severity: 'error',
    description: 'Columns with an index or an encoding are in the schema.',
    *check({ config, schema }) {
      if (schema === undefined) return;
      for (const [path, name] of namedColumnsOf(config)) {
        if (columnNamed(name, schema) === undefined) yield { path, message: `The schema has no column ${name}.` };
      }
    },
  },
  {
    code: 'INDEX_TWICE',
    subject: 'indexes',
    severity: 'error',
    description: 'An index of a column stands in indexes of its element of fieldConfigList or elsewhere, not in both.',
    *check({ config }) {
      const places: readonly IndexPlaces[] = [...new Map(indexKinds.map((kind) => [kind.name, kind])).values()];
      for (const kind of places) {
        const found = [...indexesOf(config, kind)];
        const named = new Set(found.filter(({ isNamed }) => isNamed).map(({ column }) => column));
        for (const { path, column, isNamed } of found) {
          if (!isNamed && named.has(column)) {
            yield { path, message: `The ${kind.name} index of ${column} is in indexes of fieldConfigList as well.` };
          }
        }
      }
    },
  },
  ...indexKindRules,
  {
    code: 'SORTED_COLUMN',
    subject: 'indexes',
    severity: 'error',
    description: 'A table is sorted by columns with one value in a row.',
    *check({ config, schema }) {
      for (const [index, name] of (config.tableIndexConfig?.sortedColumn ?? []).entries()) {
        if (columnNamed(name, schema)?.isMultiValue === true) {
          yield { path: `/tableIndexConfig/sortedColumn/${index}`, message: `${name} holds lists, which have no order.` };
        }
      }
    },
  },
  {
    code: 'SORTED_COLUMNS',
    subject: 'indexes',
    severity: 'warning',
    description: 'A table is sorted by one column: the others of sortedColumn count for nothing.',
    *check({ config }) {
      const sorted = (config.tableIndexConfig?.sortedColumn ?? []).filter((name) => name !== '');
      const path = '/tableIndexConfig/sortedColumn';
      if (sorted.length > 1) yield { path, message: `Rows cannot be sorted by ${sorted.length} columns.` };
    },
  },
  {
    code: 'TIMESTAMP_INDEX',
    subject: 'indexes',
    severity: 'error',
    description: 'A timestampConfig is of a TIMESTAMP or LONG column with one value in a row.',
    *check({ config, schema }) {
      for (const [index, { name = '', timestampConfig }] of (config.fieldConfigList ?? []).entries()) {
        const column = columnNamed(name, schema);
        if (timestampConfig === undefined || column === undefined) continue;
        const isFit = storedTypeOf(column) === 'LONG' && !column.isMultiValue;
        const path = `/fieldConfigList/${index}/timestampConfig`;
        if (!isFit) yield { path, message: `${name} is ${describe(column)}, not a single TIMESTAMP or LONG.` };
      }
    },
  },
  {
    code: 'TIMESTAMP_GRANULARITIES',
    subject: 'indexes',
    severity: 'warning',
    description: 'A TIMESTAMP index names its granularities in timestampConfig: without them there is none.',
    *check({ config }) {
      for (const [index, { indexType, indexTypes = [], timestampConfig }] of (config.fieldConfigList ?? []).entries()) {
        const hasIndex = indexType === 'TIMESTAMP' || indexTypes.includes('TIMESTAMP');
        if (hasIndex && (timestampConfig?.granularities ?? []).length === 0) {
          const path = `/fieldConfigList/${index}/timestampConfig/granularities`;
          yield { path, message: 'The index names no granularities.' };
        }
      }
    },
  },
  {
    code: 'FIELD_CONFIG_TWICE',
    subject: 'indexes',
    severity: 'warning',
    description: 'No two elements of fieldConfigList name the same column: only one of them can count.',
    *check({ config }) {
      for (const [name, index] of repeated((config.fieldConfigList ?? []).map((field) => field.name ?? ''))) {
        yield { path: `/fieldConfigList/${index}/name`, message: `There is another element for ${name}.` };
      }
    },
  },
  {
    code: 'ENCODING_CONFLICT',
    subject: 'indexes',
    severity: 'error',
    description:
      'encodingType, which is DICTIONARY where it is left out, agrees with noDictionaryColumns and noDictionaryConfig.',
    *check({ config }) {
      const { noDictionaryColumns = [], noDictionaryConfig = {} } = config.tableIndexConfig ?? {};
      for (const [index, { name = '', encodingType = 'DICTIONARY' }] of (config.fieldConfigList ?? []).entries()) {
        if (encodingType !== 'DICTIONARY' || name === '') continue;
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
      'MV_ENTRY_DICT is for columns with a dictionary, CLP for raw STRING columns, DELTA for raw INT and LONG ones, the other codecs for raw ones.',
    *check({ config, schema }) {
      const raw = rawColumnsOf(config);
      for (const [index, { name = '', compressionCodec }] of (config.fieldConfigList ?? []).entries()) {
        if (compressionCodec === undefined) continue;
        const problem = codecProblem(compressionCodec, raw.has(name), columnNamed(name, schema));
        if (problem !== undefined) yield { path: `/fieldConfigList/${index}/compressionCodec`, message: problem };
      }
    },
  },
  {
    code: 'FORWARD_INDEX_DISABLED',
    subject: 'indexes',
    severity: 'error',
    description:
      'Only offline tables leave out forward indexes, without optimizeDictionary, and not of lists with a RANGE index.',
    *check({ config, schema }) {
      const { optimizeDictionary, optimizeDictionaryForMetrics } = config.tableIndexConfig ?? {};
      const ranges = new Set(
        [...indexesOf(config, { name: 'range', type: 'RANGE', list: 'rangeIndexColumns' })].map((each) => each.column),
      );
      for (const [index, { name = '', properties = {}, indexes = {} }] of (config.fieldConfigList ?? []).entries()) {
        const forward = indexes['forward'];
        const isOff =
          /^true$/i.test(String(properties['forwardIndexDisabled'])) || (isRecord(forward) && forward['disabled'] === true);
        if (!isOff) continue;
        const path = `/fieldConfigList/${index}`;
        if (config.tableType === 'REALTIME') yield { path, message: `${name} of a real-time table needs its forward index.` };
        if (optimizeDictionary === true || optimizeDictionaryForMetrics === true) {
          yield { path, message: `${name} needs its forward index while dictionaries are optimized.` };
        }
        if (ranges.has(name) && columnNamed(name, schema)?.isMultiValue === true) {
          yield { path, message: `${name} holds lists with a RANGE index, which need a forward index.` };
        }
      }
    },
  },
];

function* namedColumnsOf(config: CheckedTable['config']): Generator<readonly [path: string, name: string]> {
  const places: readonly IndexPlaces[] = [
    ...new Map(indexKinds.map((kind) => [`${kind.name}${kind.list}`, kind])).values(),
    { name: 'none', list: 'onHeapDictionaryColumns' },
    { name: 'none', list: 'noDictionaryColumns', options: 'noDictionaryConfig' },
  ];
  for (const place of places) {
    for (const { path, column } of indexesOf(config, place)) {
      if (path.startsWith('/tableIndexConfig')) yield [path, column];
    }
  }
  for (const [index, name] of (config.tableIndexConfig?.sortedColumn ?? []).entries()) {
    if (name !== '') yield [`/tableIndexConfig/sortedColumn/${index}`, name];
  }
  for (const [index, { name }] of (config.fieldConfigList ?? []).entries()) {
    if (name !== undefined) yield [`/fieldConfigList/${index}/name`, name];
  }
  const partitioned = config.tableIndexConfig?.segmentPartitionConfig?.columnPartitionMap ?? {};
  for (const name of Object.keys(partitioned)) yield ['/tableIndexConfig/segmentPartitionConfig/columnPartitionMap', name];
}

function codecProblem(codec: string, isRaw: boolean, column: Column | undefined): Fault['message'] | undefined {
  if (codec === 'MV_ENTRY_DICT') return isRaw ? 'MV_ENTRY_DICT needs a dictionary.' : undefined;
  if (!isRaw) return `${codec} is for columns without dictionary.`;
  if (codec.startsWith('CLP')) return isStoredAs(column, 'STRING') ? undefined : `${codec} is for STRING columns.`;
  if (codec.startsWith('DELTA')) return isStoredAs(column, 'INT', 'LONG') ? undefined : `${codec} is for INT and LONG columns.`;
  return undefined;
}
