import { isRecord } from '../model/document.ts';
import { compressionCodecs } from '../model/member.ts';
import {
  describe,
  type IndexMembers,
  indexesOf,
  isDisabled,
  rawColumnsOf,
  storedTypeOf,
} from './column-indexes.ts';
import { indexKindRules, indexKinds, isStoredAs } from './index-kinds.ts';
import {
  type CheckedTable,
  type Column,
  columnNamed,
  type Fault,
  placed,
  placedMembers,
  repeated,
  rulesAbout,
  unknownColumns,
} from './rule.ts';

const { error, warning } = rulesAbout('indexes');

/** Rules about indexes and encodings of single columns. */
export const indexRules = [
  error(
    'INDEX_COLUMN_UNKNOWN',
    'Columns with an index or an encoding must be in the schema.',
    ({ config, schema }) => unknownColumns([...namedColumnsOf(config)], schema),
  ),
  error(
    'INDEX_TWICE',
    'An index of a column must not be configured both in indexes of its element of fieldConfigList and elsewhere.',
    function* ({ config }) {
      const places: readonly IndexMembers[] = [
        ...new Map(indexKinds.map((kind) => [kind.name, kind])).values(),
      ];
      for (const kind of places) {
        const found = [...indexesOf(config, kind)];
        const named = new Set(found.filter(({ isNamed }) => isNamed).map(({ column }) => column));
        for (const { path, column, isNamed } of found) {
          if (!isNamed && named.has(column)) {
            yield [
              path,
              `The ${kind.name} index of ${column} is configured in indexes of fieldConfigList as well: remove one of them.`,
            ];
          }
        }
      }
    },
  ),
  ...indexKindRules,
  error(
    'SORTED_COLUMN',
    'Columns of sortedColumn must be single-value columns.',
    function* ({ config, schema }) {
      for (const [path, name] of sortedColumnsOf(config)) {
        if (columnNamed(name, schema)?.isMultiValue === true) {
          yield [path, `${name} is a multi-value column, by which rows cannot be sorted.`];
        }
      }
    },
  ),
  warning(
    'SORTED_COLUMNS',
    'sortedColumn should name one column; further ones are ignored.',
    function* ({ config }) {
      const sorted = sortedColumnsOf(config).filter(([, name]) => name !== '');
      if (sorted.length > 1) {
        yield [
          '/tableIndexConfig/sortedColumn',
          `sortedColumn names ${sorted.length} columns, but rows are sorted by one only.`,
        ];
      }
    },
  ),
  error(
    'TIMESTAMP_INDEX',
    'A timestampConfig requires a single-value TIMESTAMP or LONG column.',
    function* ({ config, schema }) {
      for (const [path, { name = '', timestampConfig }] of fieldsOf(config)) {
        const column = columnNamed(name, schema);
        if (timestampConfig === undefined || column === undefined) continue;
        const isFit = storedTypeOf(column) === 'LONG' && !column.isMultiValue;
        if (!isFit) {
          yield [
            `${path}/timestampConfig`,
            `${name} is ${describe(column)}; expected a single-value TIMESTAMP or LONG column.`,
          ];
        }
      }
    },
  ),
  warning(
    'TIMESTAMP_GRANULARITIES',
    'A TIMESTAMP index should name its granularities in timestampConfig; without them, none is created.',
    function* ({ config }) {
      for (const [path, { indexType, indexTypes = [], timestampConfig }] of fieldsOf(config)) {
        const hasIndex = indexType === 'TIMESTAMP' || indexTypes.includes('TIMESTAMP');
        if (hasIndex && (timestampConfig?.granularities ?? []).length === 0) {
          yield [
            `${path}/timestampConfig/granularities`,
            'The TIMESTAMP index has no granularities, so that none is created.',
          ];
        }
      }
    },
  ),
  warning(
    'FIELD_CONFIG_TWICE',
    'Elements of fieldConfigList should name different columns: of several for a column, one is used.',
    ({ config }) => {
      const names = fieldsOf(config).map(
        ([path, { name = '' }]) => [`${path}/name`, name] as const,
      );
      return repeated(
        names,
        (name) => `fieldConfigList has several elements for ${name}, of which one is used.`,
      );
    },
  ),
  error(
    'ENCODING_CONFLICT',
    'encodingType, which is DICTIONARY by default, must agree with noDictionaryColumns and noDictionaryConfig.',
    function* ({ config }) {
      const { noDictionaryColumns = [], noDictionaryConfig = {} } = config.tableIndexConfig ?? {};
      for (const [path, { name = '', encodingType = 'DICTIONARY' }] of fieldsOf(config)) {
        if (encodingType !== 'DICTIONARY' || name === '') continue;
        if (noDictionaryColumns.includes(name) || Object.hasOwn(noDictionaryConfig, name)) {
          yield [
            `${path}/encodingType`,
            `The encodingType of ${name} is DICTIONARY, but noDictionaryColumns or noDictionaryConfig names it.`,
          ];
        }
      }
    },
  ),
  error(
    'COMPRESSION_CODEC',
    'MV_ENTRY_DICT requires a column with a dictionary, CLP a raw STRING column, and other codecs a raw column; DELTA and DELTADELTA are not supported by this release of the engine.',
    function* ({ config, schema }) {
      const raw = rawColumnsOf(config);
      for (const [path, name, codec] of codecsOf(config)) {
        const isChunks = path.endsWith('/chunkCompressionType');
        const problem =
          isChunks && !chunkCodecs.includes(codec)
            ? `‘${codec}’ is not one of ${chunkCodecs.join(', ')}.`
            : codecProblem(codec, raw.has(name), columnNamed(name, schema));
        if (problem !== undefined) yield [path, problem];
      }
    },
  ),
  error(
    'MULTI_COLUMN_TEXT_INDEX',
    'A multiColumnTextIndexConfig must have columns, each once, and only known properties.',
    ({ config }) => multiColumnFaults(config),
  ),
  error(
    'FORWARD_INDEX_DISABLED',
    'A forward index can be disabled only in an offline table without optimizeDictionary, and not for a multi-value column with a RANGE index.',
    function* ({ config, schema }) {
      const { optimizeDictionary, optimizeDictionaryForMetrics } = config.tableIndexConfig ?? {};
      const ranges = [
        ...indexesOf(config, { name: 'range', type: 'RANGE', list: 'rangeIndexColumns' }),
      ];
      for (const [path, { name = '', properties = {}, indexes = {} }] of fieldsOf(config)) {
        const isOff =
          /^true$/i.test(String(properties['forwardIndexDisabled'])) ||
          isDisabled(indexes['forward']);
        if (!isOff) continue;
        if (config.tableType === 'REALTIME') {
          yield [path, `The forward index of ${name} cannot be disabled in a real-time table.`];
        }
        if (optimizeDictionary === true || optimizeDictionaryForMetrics === true) {
          yield [
            path,
            `The forward index of ${name} cannot be disabled with optimizeDictionary or optimizeDictionaryForMetrics.`,
          ];
        }
        if (
          ranges.some(({ column }) => column === name) &&
          columnNamed(name, schema)?.isMultiValue === true
        ) {
          yield [
            path,
            `The forward index of ${name} cannot be disabled: it is a multi-value column with a RANGE index.`,
          ];
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

/** Yields the columns that a config names, with their locations. */
function* namedColumnsOf(
  config: CheckedTable['config'],
): Generator<readonly [path: string, name: string]> {
  const lists = new Set([
    ...indexKinds.flatMap(({ list }) => list ?? []),
    'onHeapDictionaryColumns' as const,
    'noDictionaryColumns' as const,
  ]);
  for (const list of lists) {
    for (const { path, column } of indexesOf(config, { name: 'none', list })) yield [path, column];
  }
  // Apache Pinot looks up columns whose index is disabled as well.
  for (const member of ['jsonIndexConfigs', 'bloomFilterConfigs', 'noDictionaryConfig'] as const) {
    const options = config.tableIndexConfig?.[member];
    for (const [path, name] of placedMembers<unknown>(`/tableIndexConfig/${member}`, options)) {
      yield [path, name];
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

/** The codecs of the older member name. */
const chunkCodecs = ['PASS_THROUGH', 'SNAPPY', 'ZSTANDARD', 'LZ4', 'DELTA', 'DELTADELTA'];
const codecs: readonly string[] = compressionCodecs;

/** Yields the codecs that a config names, with locations and columns. */
function* codecsOf(
  config: CheckedTable['config'],
): Generator<readonly [path: string, column: string, codec: string]> {
  for (const [path, { name = '', compressionCodec, indexes = {} }] of fieldsOf(config)) {
    if (compressionCodec !== undefined) yield [`${path}/compressionCodec`, name, compressionCodec];
    const forward = indexes['forward'];
    if (!isRecord(forward) || isDisabled(forward)) continue;
    for (const member of ['compressionCodec', 'chunkCompressionType', 'dictIdCompressionType']) {
      const codec = forward[member];
      if (codec === undefined || codec === null) continue;
      const shown = typeof codec === 'string' ? codec : JSON.stringify(codec);
      yield [`${path}/indexes/forward/${member}`, name, shown];
    }
  }
}

function codecProblem(
  codec: string,
  isRaw: boolean,
  column: Column | undefined,
): string | undefined {
  if (!codecs.includes(codec)) return `‘${codec}’ is not one of ${codecs.join(', ')}.`;
  if (codec === 'MV_ENTRY_DICT') {
    return isRaw ? 'MV_ENTRY_DICT requires a column with a dictionary.' : undefined;
  }
  if (!isRaw) return `${codec} requires a column without a dictionary.`;
  if (codec.startsWith('CLP')) {
    return isStoredAs(column, 'STRING') ? undefined : `${codec} requires a STRING column.`;
  }
  return codec.startsWith('DELTA')
    ? `No forward index supports the codec ${codec} yet.`
    : undefined;
}

/** The properties of a multi-column text index: of the whole, and of one column. */
const columnTextProperties = [
  'useANDForMultiTermTextIndexQueries',
  'enablePrefixSuffixMatchingInPhraseQueries',
  'stopWordInclude',
  'stopWordExclude',
  'caseSensitive',
  'luceneAnalyzerClass',
  'luceneAnalyzerClassArgs',
  'luceneAnalyzerClassArgTypes',
  'luceneQueryParserClass',
];
const sharedTextProperties = [
  ...columnTextProperties,
  'fstType',
  'enableQueryCacheForTextIndex',
  'luceneUseCompoundFile',
  'luceneMaxBufferSizeMB',
  'reuseMutableIndex',
  'luceneNRTCachingDirectoryMaxBufferSizeMB',
  'luceneUseLogByteSizeMergePolicy',
  'luceneDocIdTranslatorMode',
];

function* multiColumnFaults({ tableIndexConfig }: CheckedTable['config']): Generator<Fault> {
  const index = tableIndexConfig?.multiColumnTextIndexConfig;
  if (index === undefined) return;
  const path = '/tableIndexConfig/multiColumnTextIndexConfig';
  const { columns = [], properties, perColumnProperties = {} } = index;
  if (columns.length === 0) yield [`${path}/columns`, 'The text index has no columns.'];
  const named = columns.map((name, place) => [`${path}/columns/${place}`, name] as const);
  yield* repeated(named, (name) => `The column ${name} of the text index is repeated.`);
  yield* unknownProperties(`${path}/properties`, properties, sharedTextProperties);
  for (const [place, name, own] of placedMembers<unknown>(
    `${path}/perColumnProperties`,
    perColumnProperties,
  )) {
    if (!columns.includes(name)) yield [place, `${name} is not a column of the text index.`];
    yield* unknownProperties(place, own, columnTextProperties);
  }
}

function* unknownProperties(
  path: string,
  given: unknown,
  known: readonly string[],
): Generator<Fault> {
  for (const [place, name] of placedMembers<unknown>(path, isRecord(given) ? given : {})) {
    if (!known.includes(name)) yield [place, `${name} is not one of ${known.join(', ')}.`];
  }
}
