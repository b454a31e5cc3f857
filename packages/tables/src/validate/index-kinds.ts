import {
  describe,
  type IndexMembers,
  indexesOf,
  rawColumnsOf,
  storedTypeOf,
} from './column-indexes.ts';
import { type Column, columnNamed, rulesAbout } from './rule.ts';
import { isInteger } from './values-at.ts';

type Options = Readonly<Record<string, unknown>>;

interface IndexKind extends IndexMembers {
  readonly code: string;
  readonly description: string;
  readonly severity?: 'warning';
  /** Returns the reason why a column cannot have it. The column is undefined if it is unknown. */
  readonly problem: (
    column: Column | undefined,
    isRaw: boolean,
    options: Options,
    isNamed: boolean,
  ) => string | undefined;
}

const numbers = ['INT', 'LONG', 'FLOAT', 'DOUBLE', 'BIG_DECIMAL'];
/**
 * Reports whether values of a column are stored as one of the types; true for an unknown column.
 */
export const isStoredAs = (column: Column | undefined, ...types: readonly string[]) =>
  column === undefined || types.includes(storedTypeOf(column));
const isMap = (column: Column | undefined) => column?.dataType === 'MAP';

export const vectorDistances = ['COSINE', 'INNER_PRODUCT', 'EUCLIDEAN', 'DOT_PRODUCT'];
const textBuffers = ['luceneMaxBufferSizeMB', 'luceneNRTCachingDirectoryMaxBufferSizeMB'];

/** Reports whether an option is missing or a 32-bit whole number, as Java parses it. */
const isWhole = (value: unknown = 0) => isInteger(String(value));

/** The kinds of indexes: the members that declare them, and the columns that may have them. */
export const indexKinds: readonly IndexKind[] = [
  {
    code: 'INVERTED_INDEX_TYPE',
    description: 'Inverted indexes do not support MAP columns.',
    name: 'inverted',
    type: 'INVERTED',
    list: 'invertedIndexColumns',
    problem: (column) =>
      isMap(column) ? 'cannot have an inverted index: use a JSON index' : undefined,
  },
  {
    code: 'INVERTED_NO_DICTIONARY',
    description:
      'Columns with an inverted index should have a dictionary: without one, the index is larger and slower.',
    severity: 'warning',
    name: 'inverted',
    type: 'INVERTED',
    list: 'invertedIndexColumns',
    problem: (_column, isRaw) => (isRaw ? 'has an inverted index without a dictionary' : undefined),
  },
  {
    code: 'JSON_INDEX_TYPE',
    description: 'JSON indexes require single-value columns of the type STRING, JSON or MAP.',
    name: 'json',
    type: 'JSON',
    list: 'jsonIndexColumns',
    options: 'jsonIndexConfigs',
    problem: (column) =>
      isStoredAs(column, 'STRING', 'MAP') && column?.isMultiValue !== true
        ? undefined
        : 'cannot have a JSON index: expected a single-value STRING, JSON or MAP column',
  },
  {
    code: 'TEXT_INDEX_TYPE',
    description: 'TEXT indexes require STRING or JSON columns.',
    name: 'text',
    type: 'TEXT',
    problem: (column) =>
      isStoredAs(column, 'STRING')
        ? undefined
        : 'cannot have a TEXT index: expected a STRING or JSON column',
  },
  {
    code: 'TEXT_INDEX_BUFFERS',
    description: `Sizes of buffers in the properties of a TEXT index must be whole numbers: ${textBuffers.join(', ')}.`,
    name: 'text',
    type: 'TEXT',
    problem(_column, _isRaw, options, isNamed) {
      const wrong = textBuffers.find((name) => !isWhole(options[name]));
      return isNamed || wrong === undefined
        ? undefined
        : `has a TEXT index whose ${wrong} is not a whole number`;
    },
  },
  {
    code: 'FST_INDEX_TYPE',
    description: 'FST indexes require single-value STRING or JSON columns with a dictionary.',
    name: 'fst',
    type: 'FST',
    problem: (column, isRaw) => fstProblem('FST', column, isRaw),
  },
  {
    code: 'IFST_INDEX_TYPE',
    description: 'IFST indexes require single-value STRING or JSON columns with a dictionary.',
    name: 'ifst',
    type: 'IFST',
    problem: (column, isRaw) => fstProblem('IFST', column, isRaw),
  },
  {
    code: 'H3_INDEX_TYPE',
    description: 'H3 indexes require single-value BYTES columns, which contain geometries.',
    name: 'h3',
    type: 'H3',
    problem: (column) =>
      isStoredAs(column, 'BYTES') && column?.isMultiValue !== true
        ? undefined
        : 'cannot have an H3 index: expected a single-value BYTES column, which contains geometries',
  },
  {
    code: 'H3_RESOLUTIONS',
    description:
      'An H3 index in indexTypes must have its resolutions in properties, such as "5,8".',
    name: 'h3',
    type: 'H3',
    problem: (_column, _isRaw, options, isNamed) =>
      isNamed || /^,*\d{1,2}(,+\d{1,2})*,*$/.test(String(options['resolutions']))
        ? undefined
        : 'has an H3 index without resolutions in its properties, such as "5,8"',
  },
  {
    code: 'VECTOR_INDEX_TYPE',
    description: 'VECTOR indexes require multi-value FLOAT columns.',
    name: 'vector',
    type: 'VECTOR',
    problem: (column) =>
      isStoredAs(column, 'FLOAT') && column?.isMultiValue !== false
        ? undefined
        : 'cannot have a VECTOR index: expected a multi-value FLOAT column',
  },
  {
    code: 'VECTOR_OPTIONS',
    description:
      'A VECTOR index must have the vectorIndexType HNSW and, in indexTypes, a vectorDimension in its properties; a version there must be a whole number, and a vectorDistanceFunction a known one.',
    name: 'vector',
    type: 'VECTOR',
    problem(_column, _isRaw, options, isNamed) {
      if (options['vectorIndexType'] !== 'HNSW') {
        return 'has a VECTOR index without the vectorIndexType HNSW';
      }
      // Other rules check the options in indexes.
      if (isNamed) return undefined;
      if (!isInteger(String(options['vectorDimension']))) {
        return 'has a VECTOR index without a vectorDimension';
      }
      if (!isWhole(options['version'])) {
        return 'has a VECTOR index whose version is not a whole number';
      }
      const { vectorDistanceFunction: distance = vectorDistances[0] } = options;
      return vectorDistances.includes(String(distance))
        ? undefined
        : `has a VECTOR index whose vectorDistanceFunction is not one of ${vectorDistances.join(', ')}`;
    },
  },
  {
    code: 'RANGE_INDEX_TYPE',
    description:
      'RANGE indexes require columns that have a dictionary or are numbers, times or booleans, and are not MAP.',
    name: 'range',
    type: 'RANGE',
    list: 'rangeIndexColumns',
    problem: (column, isRaw) =>
      !isMap(column) && (!isRaw || isStoredAs(column, ...numbers))
        ? undefined
        : 'cannot have a RANGE index: expected a number, or a column with a dictionary other than MAP',
  },
  {
    code: 'BLOOM_FILTER_TYPE',
    description: 'Bloom filters do not support BOOLEAN and MAP columns.',
    name: 'bloom',
    list: 'bloomFilterColumns',
    options: 'bloomFilterConfigs',
    problem: (column) =>
      column?.dataType === 'BOOLEAN' || isMap(column)
        ? 'cannot have a Bloom filter: BOOLEAN and MAP columns are not supported'
        : undefined,
  },
  {
    code: 'BLOOM_FILTER_FPP',
    description: 'The fpp of a Bloom filter must be between 0 and 1.',
    name: 'bloom',
    options: 'bloomFilterConfigs',
    problem(_column, _isRaw, { fpp = 0 }) {
      const rate = Number(fpp ?? 0);
      return rate >= 0 && rate < 1
        ? undefined
        : `has a Bloom filter with the fpp ${String(fpp)}; expected a number between 0 and 1`;
    },
  },
  {
    code: 'VAR_LENGTH_TYPE',
    description: 'Columns of varLengthDictionaryColumns must have a type of variable length.',
    name: 'none',
    list: 'varLengthDictionaryColumns',
    problem: (column, isRaw) =>
      isRaw ||
      column === undefined ||
      isStoredAs(column, 'STRING', 'BYTES', 'BIG_DECIMAL', 'MAP', 'LIST', 'STRUCT')
        ? undefined
        : 'has values of a fixed length and cannot be in varLengthDictionaryColumns',
  },
];

function fstProblem(
  kind: 'FST' | 'IFST',
  column: Column | undefined,
  isRaw: boolean,
): string | undefined {
  if (isRaw) return `has an ${kind} index without a dictionary`;
  return isStoredAs(column, 'STRING') && column?.isMultiValue !== true
    ? undefined
    : `cannot have an ${kind} index: expected a single-value STRING or JSON column`;
}

/** One rule for each kind of index. */
export const indexKindRules = indexKinds.map((kind) =>
  rulesAbout('indexes')[kind.severity ?? 'error'](
    kind.code,
    kind.description,
    function* ({ config, schema }) {
      const raw = rawColumnsOf(config);
      for (const { path, column: name, options, isNamed } of indexesOf(config, kind)) {
        const column = columnNamed(name, schema);
        const reason = kind.problem(column, raw.has(name), options, isNamed);
        const shown = column === undefined ? name : `${name}, ${describe(column)},`;
        if (reason !== undefined) yield [path, `${shown} ${reason}.`];
      }
    },
  ),
);
