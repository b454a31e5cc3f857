import { isRecord } from '../model/document.ts';
import { columnNamed, describe, type IndexPlaces, indexesOf, rawColumnsOf, storedTypeOf } from './column-indexes.ts';
import { type CheckedTable, type Column, type Fault, repeated, type TableRule } from './rule.ts';

type Options = Readonly<Record<string, unknown>>;

interface IndexKind extends IndexPlaces {
  readonly code: string;
  readonly description: string;
  readonly severity?: 'warning';
  /** Why a column cannot have it. The column is undefined where it is not known. */
  readonly problem: (column: Column | undefined, isRaw: boolean, options: Options, isNamed: boolean) => string | undefined;
}

const numbers = ['INT', 'LONG', 'FLOAT', 'DOUBLE', 'BIG_DECIMAL'];
const stored = (column: Column | undefined, ...types: readonly string[]) =>
  column === undefined || types.includes(storedTypeOf(column));
const isMap = (column: Column | undefined) => column?.dataType === 'MAP';

/** Kinds of indexes: where a config says that a column has one, and which columns may. */
const kinds: readonly IndexKind[] = [
  {
    code: 'INVERTED_INDEX_TYPE',
    description: 'Inverted indexes are of columns that are not MAP.',
    name: 'inverted',
    type: 'INVERTED',
    list: 'invertedIndexColumns',
    problem: (column) => (isMap(column) ? 'is looked up by an index of JSON, not by an inverted one' : undefined),
  },
  {
    code: 'INVERTED_NO_DICTIONARY',
    description: 'Columns with an inverted index have a dictionary: without one, the index is larger and slower.',
    severity: 'warning',
    name: 'inverted',
    type: 'INVERTED',
    list: 'invertedIndexColumns',
    problem: (_column, isRaw) => (isRaw ? 'has no dictionary' : undefined),
  },
  {
    code: 'JSON_INDEX_TYPE',
    description: 'JSON indexes are of columns of type STRING, JSON or MAP with one value in a row.',
    name: 'json',
    type: 'JSON',
    list: 'jsonIndexColumns',
    options: 'jsonIndexConfigs',
    problem: (column) => (stored(column, 'STRING', 'MAP') && column?.isMultiValue !== true ? undefined : 'holds no JSON'),
  },
  {
    code: 'TEXT_INDEX_TYPE',
    description: 'TEXT indexes are of STRING and JSON columns.',
    name: 'text',
    type: 'TEXT',
    problem: (column) => (stored(column, 'STRING') ? undefined : 'is not text'),
  },
  {
    code: 'FST_INDEX_TYPE',
    description: 'FST indexes are of STRING and JSON columns with a dictionary and one value in a row.',
    name: 'fst',
    type: 'FST',
    problem: fstProblem,
  },
  {
    code: 'IFST_INDEX_TYPE',
    description: 'IFST indexes are of STRING and JSON columns with a dictionary and one value in a row.',
    name: 'ifst',
    type: 'IFST',
    problem: fstProblem,
  },
  {
    code: 'H3_INDEX_TYPE',
    description: 'H3 indexes are of BYTES columns with one value in a row: geometries.',
    name: 'h3',
    type: 'H3',
    problem: (column) =>
      stored(column, 'BYTES') && column?.isMultiValue !== true ? undefined : 'holds no geometry, which is BYTES',
  },
  {
    code: 'H3_RESOLUTIONS',
    description: 'An H3 index of indexTypes has properties with its resolutions, such as "5,8".',
    name: 'h3',
    type: 'H3',
    problem: (_column, _isRaw, options, isNamed) =>
      isNamed || /^,*\d{1,2}(,+\d{1,2})*,*$/.test(String(options['resolutions']))
        ? undefined
        : 'has no resolutions in properties',
  },
  {
    code: 'VECTOR_INDEX_TYPE',
    description: 'VECTOR indexes are of FLOAT columns that hold lists.',
    name: 'vector',
    type: 'VECTOR',
    problem: (column) => (stored(column, 'FLOAT') && column?.isMultiValue !== false ? undefined : 'is not FLOAT with lists'),
  },
  {
    code: 'VECTOR_OPTIONS',
    description: 'A VECTOR index is of vectorIndexType HNSW, and one of indexTypes has a vectorDimension in its properties.',
    name: 'vector',
    type: 'VECTOR',
    problem(_column, _isRaw, options, isNamed) {
      if (options['vectorIndexType'] !== 'HNSW') return 'has no vectorIndexType HNSW';
      return isNamed || /^[+-]?\d+$/.test(String(options['vectorDimension'])) ? undefined : 'has no vectorDimension';
    },
  },
  {
    code: 'RANGE_INDEX_TYPE',
    description: 'RANGE indexes are of columns with a dictionary that are not MAP, or of numbers, times and booleans.',
    name: 'range',
    type: 'RANGE',
    list: 'rangeIndexColumns',
    problem: (column, isRaw) =>
      !isMap(column) && (!isRaw || stored(column, ...numbers)) ? undefined : 'has no dictionary and is not a number',
  },
  {
    code: 'BLOOM_FILTER_TYPE',
    description: 'Bloom filters are of columns that are neither BOOLEAN nor MAP.',
    name: 'bloom',
    list: 'bloomFilterColumns',
    options: 'bloomFilterConfigs',
    problem: (column) =>
      column?.dataType === 'BOOLEAN' || isMap(column) ? 'has nothing to look up in a Bloom filter' : undefined,
  },
  {
    code: 'BLOOM_FILTER_FPP',
    description: 'The fpp of a Bloom filter lies between 0 and 1.',
    name: 'bloom',
    options: 'bloomFilterConfigs',
    problem(_column, _isRaw, { fpp = 0 }) {
      const rate = Number(fpp ?? 0);
      return rate >= 0 && rate < 1 ? undefined : `has the fpp ${String(fpp)}, which is not between 0 and 1`;
    },
  },
  {
    code: 'VAR_LENGTH_TYPE',
    description: 'Columns of varLengthDictionaryColumns hold values of different lengths.',
    name: 'none',
    list: 'varLengthDictionaryColumns',
    problem: (column, isRaw) =>
      isRaw || column === undefined || stored(column, 'STRING', 'BYTES', 'BIG_DECIMAL', 'MAP', 'LIST', 'STRUCT')
        ? undefined
        : 'has values of one length',
  },
];

function fstProblem(column: Column | undefined, isRaw: boolean): string | undefined {
  if (isRaw) return 'has no dictionary';
  return stored(column, 'STRING') && column?.isMultiValue !== true ? undefined : 'is not text with one value in a row';
}

const kindRules = kinds.map((kind): TableRule => ({
  code: kind.code,
  subject: 'indexes',
  severity: kind.severity ?? 'error',
  description: kind.description,
  *check({ config, schema }) {
    const raw = rawColumnsOf(config);
    for (const { path, column: name, options, isNamed } of indexesOf(config, kind)) {
      const column = columnNamed(name, schema);
      const reason = kind.problem(column, raw.has(name), options, isNamed);
      const shown = column === undefined ? name : `${name}, which is ${describe(column)},`;
      if (reason !== undefined) yield { path, message: `${shown} ${reason}.` };
    }
  },
}));

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
      const places: readonly IndexPlaces[] = [...new Map(kinds.map((kind) => [kind.name, kind])).values()];
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
  ...kindRules,
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
    ...new Map(kinds.map((kind) => [`${kind.name}${kind.list}`, kind])).values(),
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
  if (codec.startsWith('CLP')) return stored(column, 'STRING') ? undefined : `${codec} is for STRING columns.`;
  if (codec.startsWith('DELTA')) return stored(column, 'INT', 'LONG') ? undefined : `${codec} is for INT and LONG columns.`;
  return undefined;
}
