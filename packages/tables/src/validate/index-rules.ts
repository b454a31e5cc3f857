import { isRecord } from '../model/document.ts';
import {
  describe,
  type IndexPlaces,
  indexesOf,
  rawColumnsOf,
  storedTypeOf,
} from './column-indexes.ts';
import { indexKindRules, indexKinds, isStoredAs } from './index-kinds.ts';
import {
  type CheckedTable,
  type Column,
  columnNamed,
  placed,
  repeated,
  rulesAbout,
  unknownColumns,
} from './rule.ts';

const { error, warning } = rulesAbout('indexes');

/** Rules about indexes and encodings of single columns. */
export const indexRules = [
  error(
    'INDEX_COLUMN_UNKNOWN',
    'Columns with an index or an encoding are in the schema.',
    ({ config, schema }) => unknownColumns([...namedColumnsOf(config)], schema),
  ),
  error(
    'INDEX_TWICE',
    'An index of a column stands in indexes of its element of fieldConfigList or elsewhere, not in both.',
    function* ({ config }) {
      const places: readonly IndexPlaces[] = [
        ...new Map(indexKinds.map((kind) => [kind.name, kind])).values(),
      ];
      for (const kind of places) {
        const found = [...indexesOf(config, kind)];
        const named = new Set(found.filter(({ isNamed }) => isNamed).map(({ column }) => column));
        for (const { path, column, isNamed } of found) {
          if (!isNamed && named.has(column)) {
            yield [
              path,
              `The ${kind.name} index of ${column} is in indexes of fieldConfigList as well.`,
            ];
          }
        }
      }
    },
  ),
  ...indexKindRules,
  error(
    'SORTED_COLUMN',
    'A table is sorted by columns with one value in a row.',
    function* ({ config, schema }) {
      for (const [path, name] of sortedColumnsOf(config)) {
        if (columnNamed(name, schema)?.isMultiValue === true) {
          yield [path, `${name} holds lists, which have no order.`];
        }
      }
    },
  ),
  warning(
    'SORTED_COLUMNS',
    'A table is sorted by one column: the others of sortedColumn count for nothing.',
    function* ({ config }) {
      const sorted = sortedColumnsOf(config).filter(([, name]) => name !== '');
      if (sorted.length > 1) {
        yield [
          '/tableIndexConfig/sortedColumn',
          `Rows cannot be sorted by ${sorted.length} columns.`,
        ];
      }
    },
  ),
  error(
    'TIMESTAMP_INDEX',
    'A timestampConfig is of a TIMESTAMP or LONG column with one value in a row.',
    function* ({ config, schema }) {
      for (const [path, { name = '', timestampConfig }] of fieldsOf(config)) {
        const column = columnNamed(name, schema);
        if (timestampConfig === undefined || column === undefined) continue;
        const isFit = storedTypeOf(column) === 'LONG' && !column.isMultiValue;
        if (!isFit) {
          yield [
            `${path}/timestampConfig`,
            `${name} is ${describe(column)}, not a single TIMESTAMP or LONG.`,
          ];
        }
      }
    },
  ),
  warning(
    'TIMESTAMP_GRANULARITIES',
    'A TIMESTAMP index names its granularities in timestampConfig: without them there is none.',
    function* ({ config }) {
      for (const [path, { indexType, indexTypes = [], timestampConfig }] of fieldsOf(config)) {
        const hasIndex = indexType === 'TIMESTAMP' || indexTypes.includes('TIMESTAMP');
        if (hasIndex && (timestampConfig?.granularities ?? []).length === 0) {
          yield [`${path}/timestampConfig/granularities`, 'The index names no granularities.'];
        }
      }
    },
  ),
  warning(
    'FIELD_CONFIG_TWICE',
    'No two elements of fieldConfigList name the same column: only one of them can count.',
    ({ config }) => {
      const names = fieldsOf(config).map(
        ([path, { name = '' }]) => [`${path}/name`, name] as const,
      );
      return repeated(names, (name) => `There is another element for ${name}.`);
    },
  ),
  error(
    'ENCODING_CONFLICT',
    'encodingType, which is DICTIONARY where it is left out, agrees with noDictionaryColumns and noDictionaryConfig.',
    function* ({ config }) {
      const { noDictionaryColumns = [], noDictionaryConfig = {} } = config.tableIndexConfig ?? {};
      for (const [path, { name = '', encodingType = 'DICTIONARY' }] of fieldsOf(config)) {
        if (encodingType !== 'DICTIONARY' || name === '') continue;
        if (noDictionaryColumns.includes(name) || Object.hasOwn(noDictionaryConfig, name)) {
          yield [
            `${path}/encodingType`,
            `${name} is DICTIONARY here, but among the columns without dictionary.`,
          ];
        }
      }
    },
  ),
  error(
    'COMPRESSION_CODEC',
    'MV_ENTRY_DICT is for columns with a dictionary, CLP for raw STRING columns, DELTA for raw INT and LONG ones, the other codecs for raw ones.',
    function* ({ config, schema }) {
      const raw = rawColumnsOf(config);
      for (const [path, { name = '', compressionCodec }] of fieldsOf(config)) {
        if (compressionCodec === undefined) continue;
        const problem = codecProblem(compressionCodec, raw.has(name), columnNamed(name, schema));
        if (problem !== undefined) yield [`${path}/compressionCodec`, problem];
      }
    },
  ),
  error(
    'FORWARD_INDEX_DISABLED',
    'Only offline tables leave out forward indexes, without optimizeDictionary, and not of lists with a RANGE index.',
    function* ({ config, schema }) {
      const { optimizeDictionary, optimizeDictionaryForMetrics } = config.tableIndexConfig ?? {};
      const ranges = [
        ...indexesOf(config, { name: 'range', type: 'RANGE', list: 'rangeIndexColumns' }),
      ];
      for (const [path, { name = '', properties = {}, indexes = {} }] of fieldsOf(config)) {
        const forward = indexes['forward'];
        const isOff =
          /^true$/i.test(String(properties['forwardIndexDisabled'])) ||
          (isRecord(forward) && forward['disabled'] === true);
        if (!isOff) continue;
        if (config.tableType === 'REALTIME') {
          yield [path, `${name} of a real-time table needs its forward index.`];
        }
        if (optimizeDictionary === true || optimizeDictionaryForMetrics === true) {
          yield [path, `${name} needs its forward index while dictionaries are optimized.`];
        }
        if (
          ranges.some(({ column }) => column === name) &&
          columnNamed(name, schema)?.isMultiValue === true
        ) {
          yield [path, `${name} holds lists with a RANGE index, which need a forward index.`];
        }
      }
    },
  ),
];

function fieldsOf({ fieldConfigList }: CheckedTable['config']) {
  return placed('/fieldConfigList', fieldConfigList);
}

function sortedColumnsOf({ tableIndexConfig }: CheckedTable['config']) {
  return placed('/tableIndexConfig/sortedColumn', tableIndexConfig?.sortedColumn);
}

/** The columns that a config names, with the places. */
function* namedColumnsOf(
  config: CheckedTable['config'],
): Generator<readonly [path: string, name: string]> {
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
  yield* sortedColumnsOf(config).filter(([, name]) => name !== '');
  for (const [path, { name }] of fieldsOf(config)) {
    if (name !== undefined) yield [`${path}/name`, name];
  }
  const partitioned = config.tableIndexConfig?.segmentPartitionConfig?.columnPartitionMap ?? {};
  for (const name of Object.keys(partitioned)) {
    yield ['/tableIndexConfig/segmentPartitionConfig/columnPartitionMap', name];
  }
}

function codecProblem(
  codec: string,
  isRaw: boolean,
  column: Column | undefined,
): string | undefined {
  if (codec === 'MV_ENTRY_DICT') return isRaw ? 'MV_ENTRY_DICT needs a dictionary.' : undefined;
  if (!isRaw) return `${codec} is for columns without dictionary.`;
  if (codec.startsWith('CLP')) {
    return isStoredAs(column, 'STRING') ? undefined : `${codec} is for STRING columns.`;
  }
  if (codec.startsWith('DELTA')) {
    return isStoredAs(column, 'INT', 'LONG') ? undefined : `${codec} is for INT and LONG columns.`;
  }
  return undefined;
}
