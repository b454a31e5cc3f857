import { pointerTo } from '../finding.ts';
import { isRecord } from '../model/document.ts';
import { type CheckedTable, type Column, placed, placedMembers } from './rule.ts';

type Config = CheckedTable['config'];
type IndexType = NonNullable<NonNullable<Config['fieldConfigList']>[number]['indexType']>;
type ColumnList = Extract<keyof NonNullable<Config['tableIndexConfig']>, `${string}Columns`>;

/** The members of a config that declare an index of a kind. */
export interface IndexMembers {
  /** Its name in `indexes` of an element of fieldConfigList. */
  readonly name: string;
  readonly type?: IndexType;
  readonly list?: ColumnList;
  readonly options?: 'jsonIndexConfigs' | 'bloomFilterConfigs' | 'noDictionaryConfig';
}

/** An index of a column, as declared in a config. */
export interface ColumnIndex {
  readonly path: string;
  readonly column: string;
  /** Empty if the member has none. */
  readonly options: Readonly<Record<string, unknown>>;
  /** True if it is declared in `indexes`, which other members must not repeat. */
  readonly isNamed: boolean;
}

/**
 * Yields the columns that have an index of a kind, wherever it is declared; disabled ones are
 * omitted.
 */
export function* indexesOf(
  config: Config,
  { name, type, list, options }: IndexMembers,
): Generator<ColumnIndex> {
  const { fieldConfigList = [], tableIndexConfig } = config;
  for (const [path, field] of placed('/fieldConfigList', fieldConfigList)) {
    const { name: column = '', indexType, indexTypes = [], indexes = {}, properties = {} } = field;
    const own = indexes[name];
    if (isRecord(own) && !isDisabled(own)) {
      yield { path: pointerTo(path, 'indexes', name), column, options: own, isNamed: true };
    }
    const place = type === undefined ? -1 : indexTypes.indexOf(type);
    if (place >= 0) {
      yield { path: `${path}/indexTypes/${place}`, column, options: properties, isNamed: false };
    } else if (indexTypes.length === 0 && type !== undefined && indexType === type) {
      yield { path: `${path}/indexType`, column, options: properties, isNamed: false };
    }
  }
  const listed =
    list === undefined ? [] : placed(`/tableIndexConfig/${list}`, tableIndexConfig?.[list]);
  for (const [path, column] of listed) {
    // Apache Pinot ignores empty names, except those of JSON indexes.
    if (column !== '' || list === 'jsonIndexColumns') {
      yield { path, column, options: {}, isNamed: false };
    }
  }
  const optioned = options === undefined ? {} : tableIndexConfig?.[options];
  for (const [path, column, own] of placedMembers<unknown>(
    `/tableIndexConfig/${options}`,
    optioned,
  )) {
    if (own === null || isDisabled(own)) continue;
    yield { path, column, options: isRecord(own) ? own : {}, isNamed: false };
  }
}

/** Reports whether the options of an index disable it; `true` is a short form of that. */
export function isDisabled(options: unknown): boolean {
  return /^true$/i.test(String(isRecord(options) ? options['disabled'] : options));
}

/** Returns the columns without a dictionary. */
export function rawColumnsOf({
  tableIndexConfig,
  fieldConfigList = [],
}: Config): ReadonlySet<string> {
  return new Set([
    ...(tableIndexConfig?.noDictionaryColumns ?? []),
    ...Object.keys(tableIndexConfig?.noDictionaryConfig ?? {}),
    ...fieldConfigList.flatMap(({ name, encodingType, indexes = {} }) => {
      const isRaw = encodingType === 'RAW' || isDisabled(indexes['dictionary']);
      return isRaw && name !== undefined ? [name] : [];
    }),
  ]);
}

/** Describes the type of a column for a message, such as `a multi-value STRING column`. */
export function describe({ dataType, isMultiValue }: Column): string {
  const type = dataType ?? 'untyped';
  const article = !isMultiValue && /^[aeiou]/i.test(type) ? 'an' : 'a';
  return `${article} ${isMultiValue ? 'multi-value ' : ''}${type} column`;
}

/** Returns the type in which a type is stored: booleans and times are numbers, JSON is text. */
export function storedTypeOf(column: Column): string {
  const { dataType = 'STRING' } = column;
  return { BOOLEAN: 'INT', TIMESTAMP: 'LONG', JSON: 'STRING' }[dataType as string] ?? dataType;
}
