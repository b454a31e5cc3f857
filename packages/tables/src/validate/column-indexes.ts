import { pointerTo } from '../finding.ts';
import { isRecord } from '../model/document.ts';
import { type CheckedTable, type Column, placed, placedMembers } from './rule.ts';

type Config = CheckedTable['config'];
type IndexType = NonNullable<NonNullable<Config['fieldConfigList']>[number]['indexType']>;
type ColumnList = Extract<keyof NonNullable<Config['tableIndexConfig']>, `${string}Columns`>;

/** The places of a config that say that a column has an index of a kind. */
export interface IndexPlaces {
  /** Its name in `indexes` of an element of fieldConfigList. */
  readonly name: string;
  readonly type?: IndexType;
  readonly list?: ColumnList;
  readonly options?: 'jsonIndexConfigs' | 'bloomFilterConfigs' | 'noDictionaryConfig';
}

/** An index of a column as a config has it. */
export interface ColumnIndex {
  readonly path: string;
  readonly column: string;
  /** Empty where the place has none. */
  readonly options: Readonly<Record<string, unknown>>;
  /** Whether it stands in `indexes`, which the other places must not repeat. */
  readonly isNamed: boolean;
}

/**
 * The columns that have an index of a kind, wherever the config says so; what is disabled is left
 * out.
 */
export function* indexesOf(
  config: Config,
  { name, type, list, options }: IndexPlaces,
): Generator<ColumnIndex> {
  const { fieldConfigList = [], tableIndexConfig } = config;
  for (const [path, field] of placed('/fieldConfigList', fieldConfigList)) {
    const { name: column = '', indexType, indexTypes = [], indexes = {}, properties = {} } = field;
    const own = indexes[name];
    if (isRecord(own) && own['disabled'] !== true) {
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
    // Pinot leaves out empty names, but those of JSON indexes.
    if (column !== '' || list === 'jsonIndexColumns') {
      yield { path, column, options: {}, isNamed: false };
    }
  }
  const optioned = options === undefined ? {} : tableIndexConfig?.[options];
  for (const [path, column, own] of placedMembers<unknown>(
    `/tableIndexConfig/${options}`,
    optioned,
  )) {
    if (own === null || (isRecord(own) && own['disabled'] === true)) continue;
    yield { path, column, options: isRecord(own) ? own : {}, isNamed: false };
  }
}

/** Columns that are kept without dictionary. */
export function rawColumnsOf({
  tableIndexConfig,
  fieldConfigList = [],
}: Config): ReadonlySet<string> {
  return new Set([
    ...(tableIndexConfig?.noDictionaryColumns ?? []),
    ...Object.keys(tableIndexConfig?.noDictionaryConfig ?? {}),
    ...fieldConfigList.flatMap(({ name, encodingType, indexes = {} }) => {
      const dictionary = indexes['dictionary'];
      const isRaw =
        encodingType === 'RAW' || (isRecord(dictionary) && dictionary['disabled'] === true);
      return isRaw && name !== undefined ? [name] : [];
    }),
  ]);
}

/** What a column is, for a message. */
export function describe(column: Column | undefined): string {
  return `${column?.dataType ?? 'of no type'}${column?.isMultiValue === true ? ' with lists' : ''}`;
}

/** How a type is kept: booleans and times are numbers, JSON is text. */
export function storedTypeOf(column: Column): string {
  const { dataType = 'STRING' } = column;
  return { BOOLEAN: 'INT', TIMESTAMP: 'LONG', JSON: 'STRING' }[dataType as string] ?? dataType;
}
