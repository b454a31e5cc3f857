import {
  describe,
  type IndexMembers,
  indexesOf,
  rawColumnsOf,
  storedTypeOf,
} from './column-indexes.ts';
import { type Column, columnNamed, rulesAbout } from './rule.ts';

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

/** The kinds of indexes: the members that declare them, and the columns that may have them. */
export const indexKinds: readonly IndexKind[] = [
  {
    code: 'INVERTED_INDEX_TYPE',
    description: 'Inverted indexes require columns that are not MAP.',
    name: 'inverted',
    type: 'INVERTED',
    list: 'invertedIndexColumns',
    problem: (column) => (isMap(column) ? 'needs a JSON index, not an inverted one' : undefined),
  },
  {
    code: 'INVERTED_NO_DICTIONARY',
    description:
      'Columns with an inverted index have a dictionary: without one, the index is larger and slower.',
    severity: 'warning',
    name: 'inverted',
    type: 'INVERTED',
    list: 'invertedIndexColumns',
    problem: (_column, isRaw) => (isRaw ? 'has no dictionary' : undefined),
  },
  {
    code: 'JSON_INDEX_TYPE',
    description:
      'JSON indexes require columns of type STRING, JSON or MAP with one value in a row.',
    name: 'json',
    type: 'JSON',
    list: 'jsonIndexColumns',
    options: 'jsonIndexConfigs',
    problem: (column) =>
      isStoredAs(column, 'STRING', 'MAP') && column?.isMultiValue !== true
        ? undefined
        : 'holds no JSON',
  },
  {
    code: 'TEXT_INDEX_TYPE',
    description: 'TEXT indexes require STRING and JSON columns.',
    name: 'text',
    type: 'TEXT',
    problem: (column) => (isStoredAs(column, 'STRING') ? undefined : 'is not text'),
  },
  {
    code: 'FST_INDEX_TYPE',
    description:
      'FST indexes require STRING and JSON columns with a dictionary and one value in a row.',
    name: 'fst',
    type: 'FST',
    problem: fstProblem,
  },
  {
    code: 'IFST_INDEX_TYPE',
    description:
      'IFST indexes require STRING and JSON columns with a dictionary and one value in a row.',
    name: 'ifst',
    type: 'IFST',
    problem: fstProblem,
  },
  {
    code: 'H3_INDEX_TYPE',
    description: 'H3 indexes require BYTES columns with one value in a row: geometries.',
    name: 'h3',
    type: 'H3',
    problem: (column) =>
      isStoredAs(column, 'BYTES') && column?.isMultiValue !== true
        ? undefined
        : 'holds no geometry, which is BYTES',
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
    description: 'VECTOR indexes require FLOAT columns that hold lists.',
    name: 'vector',
    type: 'VECTOR',
    problem: (column) =>
      isStoredAs(column, 'FLOAT') && column?.isMultiValue !== false
        ? undefined
        : 'is not FLOAT with lists',
  },
  {
    code: 'VECTOR_OPTIONS',
    description:
      'A VECTOR index has the vectorIndexType HNSW; one in indexTypes has a vectorDimension in its properties.',
    name: 'vector',
    type: 'VECTOR',
    problem(_column, _isRaw, options, isNamed) {
      if (options['vectorIndexType'] !== 'HNSW') return 'has no vectorIndexType HNSW';
      return isNamed || /^[+-]?\d+$/.test(String(options['vectorDimension']))
        ? undefined
        : 'has no vectorDimension';
    },
  },
  {
    code: 'RANGE_INDEX_TYPE',
    description:
      'RANGE indexes require columns with a dictionary that are not MAP, or of numbers, times and booleans.',
    name: 'range',
    type: 'RANGE',
    list: 'rangeIndexColumns',
    problem: (column, isRaw) =>
      !isMap(column) && (!isRaw || isStoredAs(column, ...numbers))
        ? undefined
        : 'has no dictionary and is not a number',
  },
  {
    code: 'BLOOM_FILTER_TYPE',
    description: 'Bloom filters require columns that are neither BOOLEAN nor MAP.',
    name: 'bloom',
    list: 'bloomFilterColumns',
    options: 'bloomFilterConfigs',
    problem: (column) =>
      column?.dataType === 'BOOLEAN' || isMap(column)
        ? 'has nothing to look up in a Bloom filter'
        : undefined,
  },
  {
    code: 'BLOOM_FILTER_FPP',
    description: 'The fpp of a Bloom filter lies between 0 and 1.',
    name: 'bloom',
    options: 'bloomFilterConfigs',
    problem(_column, _isRaw, { fpp = 0 }) {
      const rate = Number(fpp ?? 0);
      return rate >= 0 && rate < 1
        ? undefined
        : `has the fpp ${String(fpp)}, which is not between 0 and 1`;
    },
  },
  {
    code: 'VAR_LENGTH_TYPE',
    description: 'Columns of varLengthDictionaryColumns hold values of different lengths.',
    name: 'none',
    list: 'varLengthDictionaryColumns',
    problem: (column, isRaw) =>
      isRaw ||
      column === undefined ||
      isStoredAs(column, 'STRING', 'BYTES', 'BIG_DECIMAL', 'MAP', 'LIST', 'STRUCT')
        ? undefined
        : 'has values of one length',
  },
];

function fstProblem(column: Column | undefined, isRaw: boolean): string | undefined {
  if (isRaw) return 'has no dictionary';
  return isStoredAs(column, 'STRING') && column?.isMultiValue !== true
    ? undefined
    : 'is not text with one value in a row';
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
        const shown = column === undefined ? name : `${name}, which is ${describe(column)},`;
        if (reason !== undefined) yield [path, `${shown} ${reason}.`];
      }
    },
  ),
);
