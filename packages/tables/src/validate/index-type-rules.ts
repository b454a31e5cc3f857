import { type CheckedTable, type Column, isNumeric, type TableRule } from './rule.ts';
import { columnNamed, describe, rawColumnsOf } from './index-rules.ts';

type FieldConfig = NonNullable<CheckedTable['config']['fieldConfigList']>[number];
type IndexType = NonNullable<FieldConfig['indexType']>;

interface IndexKind {
  readonly code: string;
  readonly description: string;
  /** The index in elements of fieldConfigList. */
  readonly type?: IndexType;
  /** The list of its columns in tableIndexConfig. */
  readonly list?: 'rangeIndexColumns' | 'bloomFilterColumns';
  /** Why a column cannot have it. The column is undefined where the schema is not known. */
  readonly problem: (column: Column | undefined, isRaw: boolean) => string | undefined;
}

const kinds: readonly IndexKind[] = [
  {
    code: 'TEXT_INDEX_TYPE',
    description: 'TEXT indexes are of STRING columns.',
    type: 'TEXT',
    problem: (column) => (isOf(column, ['STRING']) ? undefined : 'is not STRING'),
  },
  {
    code: 'FST_INDEX_TYPE',
    description: 'FST indexes are of STRING columns with a dictionary and one value in a row.',
    type: 'FST',
    problem(column, isRaw) {
      if (isRaw) return 'has no dictionary';
      return isOf(column, ['STRING']) && column?.isMultiValue !== true ? undefined : 'is not STRING with one value in a row';
    },
  },
  {
    code: 'H3_INDEX_TYPE',
    description: 'H3 indexes are of BYTES columns with one value in a row: geometries.',
    type: 'H3',
    problem: (column) =>
      isOf(column, ['BYTES']) && column?.isMultiValue !== true ? undefined : 'holds no geometry, which is BYTES',
  },
  {
    code: 'VECTOR_INDEX_TYPE',
    description: 'VECTOR indexes are of FLOAT columns that hold lists.',
    type: 'VECTOR',
    problem: (column) => (isOf(column, ['FLOAT']) && column?.isMultiValue !== false ? undefined : 'is not FLOAT with lists'),
  },
  {
    code: 'RANGE_INDEX_TYPE',
    description: 'RANGE indexes are of columns with a dictionary, or of numbers, times and booleans.',
    type: 'RANGE',
    list: 'rangeIndexColumns',
    problem(column, isRaw) {
      const isOrdered = column === undefined || isNumeric(column) || isOf(column, ['TIMESTAMP', 'BOOLEAN']);
      return !isRaw || isOrdered ? undefined : 'has no dictionary and is not a number';
    },
  },
  {
    code: 'BLOOM_FILTER_TYPE',
    description: 'Bloom filters are of columns that are neither BOOLEAN nor MAP, STRUCT or LIST.',
    list: 'bloomFilterColumns',
    problem: (column) => {
      return column !== undefined && isOf(column, ['BOOLEAN', 'MAP', 'STRUCT', 'LIST'])
        ? 'has nothing to look up in a Bloom filter'
        : undefined;
    },
  },
  {
    code: 'JSON_FIELD_INDEX_TYPE',
    description: 'JSON indexes of fieldConfigList are of STRING, JSON or MAP columns with one value in a row.',
    type: 'JSON',
    problem(column) {
      return isOf(column, ['STRING', 'JSON', 'MAP']) && column?.isMultiValue !== true ? undefined : 'holds no JSON';
    },
  },
  {
    code: 'INVERTED_FIELD_INDEX',
    description: 'INVERTED indexes of fieldConfigList are of columns with a dictionary.',
    type: 'INVERTED',
    problem: (_column, isRaw) => (isRaw ? 'has no dictionary' : undefined),
  },
];

/** Rules about which columns may have an index of which kind. */
export const indexTypeRules: readonly TableRule[] = kinds.map(({ code, description, type, list, problem }) => ({
  code,
  subject: 'indexes',
  // The engine takes an inverted index of a raw column, and makes it slower than one would like.
  severity: code === 'INVERTED_FIELD_INDEX' ? 'warning' : 'error',
  description,
  *check({ config, schema }) {
    const raw = rawColumnsOf(config);
    for (const [path, name] of columnsWith(config, type, list)) {
      const column = columnNamed(name, schema);
      const reason = problem(column, raw.has(name));
      const shown = column === undefined ? name : `${name}, which is ${describe(column)},`;
      if (reason !== undefined) yield { path, message: `${shown} ${reason}.` };
    }
  },
}));

/** A column that is not known is of any type; one without a type is STRING. */
function isOf(column: Column | undefined, types: readonly string[]): boolean {
  return column === undefined || types.includes(column.dataType ?? 'STRING');
}

function* columnsWith(
  { fieldConfigList = [], tableIndexConfig }: CheckedTable['config'],
  type: IndexKind['type'],
  list: IndexKind['list'],
): Generator<readonly [path: string, name: string]> {
  for (const [index, { name = '', indexType, indexTypes = [] }] of fieldConfigList.entries()) {
    if (type === undefined) break;
    const typeIndex = indexTypes.indexOf(type);
    if (typeIndex >= 0) yield [`/fieldConfigList/${index}/indexTypes/${typeIndex}`, name];
    else if (indexType === type) yield [`/fieldConfigList/${index}/indexType`, name];
  }
  if (list === undefined) return;
  for (const [index, name] of (tableIndexConfig?.[list] ?? []).entries()) yield [`/tableIndexConfig/${list}/${index}`, name];
}
