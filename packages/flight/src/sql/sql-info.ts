/** A value of `CommandGetSqlInfo`: text, flag, number, bits, list, or map of lists. */
export type SqlInfoValue =
  | { readonly kind: 'text'; readonly value: string }
  | { readonly kind: 'bool'; readonly value: boolean }
  | { readonly kind: 'int64'; readonly value: bigint }
  | { readonly kind: 'int32'; readonly value: number }
  | { readonly kind: 'texts'; readonly value: readonly string[] }
  | { readonly kind: 'conversions'; readonly value: ReadonlyMap<number, readonly number[]> };

/** A value with its number in the specification. */
export type SqlInfoEntry = SqlInfoValue & { readonly number: number };

/** The differences between servers that run read-only SQL. */
export interface SqlServerDescription {
  readonly name: string;
  readonly version: string;
  readonly arrowVersion: string;
  readonly keywords: readonly string[];
  readonly functions: Readonly<
    Record<'numeric' | 'text' | 'system' | 'datetime', readonly string[]>
  >;
  /** Characters besides `A-Za-z0-9_` that names without quotes may contain. */
  readonly extraNameCharacters: string;
  /** The maximum size of the SQL text, in bytes. */
  readonly statementBytesMax: number;
}

const text = (number: number, value: string): SqlInfoEntry => ({ number, kind: 'text', value });
const bool = (number: number, value: boolean): SqlInfoEntry => ({ number, kind: 'bool', value });
const int64 = (number: number, value: bigint): SqlInfoEntry => ({ number, kind: 'int64', value });
const int32 = (number: number, value: number): SqlInfoEntry => ({ number, kind: 'int32', value });
const texts = (number: number, value: readonly string[]): SqlInfoEntry => ({
  number,
  kind: 'texts',
  value,
});

/** Sets the bits of values that are numbered from 0. */
const bits = (...numbers: readonly number[]): number =>
  numbers.reduce((sum, number) => sum | (1 << number), 0);

/** As a limit, 0 means unlimited or unknown. */
const unlimited = 0n;

/**
 * Returns all entries that FlightSql.proto defines for a server, for one that runs SELECT
 * statements and changes nothing. Java's driver fails if entries are absent or of another kind.
 * Source: the enumeration SqlInfo of
 * https://github.com/apache/arrow/blob/apache-arrow-21.0.0/format/FlightSql.proto
 */
export function readOnlySqlInfo(server: SqlServerDescription): readonly SqlInfoEntry[] {
  return [...serverInfo(server), ...syntaxInfo(server), ...limits(server), ...transactions];
}

function serverInfo({ name, version, arrowVersion }: SqlServerDescription): SqlInfoEntry[] {
  return [
    text(0, name),
    text(1, version),
    text(2, arrowVersion),
    bool(3, true), // read-only
    bool(4, true), // SQL
    bool(5, false), // Substrait, and its versions
    text(6, ''),
    text(7, ''),
    int32(8, 0), // no transactions
    bool(9, true), // CancelQuery
    bool(10, false), // bulk ingestion
    bool(11, false), // ingestion in transactions
    int32(100, 0), // prepared statements do not expire
    int32(101, 0),
  ];
}

function syntaxInfo({
  keywords,
  functions,
  extraNameCharacters,
}: SqlServerDescription): SqlInfoEntry[] {
  return [
    bool(500, false), // CREATE and DROP of catalogs, schemas, tables
    bool(501, false),
    bool(502, false),
    int32(503, 1), // names are case-insensitive
    text(504, '"'),
    int32(505, 1), // names in quotes as well
    bool(506, true), // all tables can be selected from
    int32(507, 3), // nulls sort last in either order
    texts(508, keywords),
    texts(509, functions.numeric),
    texts(510, functions.text),
    texts(511, functions.system),
    texts(512, functions.datetime),
    text(513, '\\'), // escapes _ and % in patterns
    text(514, extraNameCharacters),
    bool(515, true), // column aliases
    bool(516, true), // null concatenated with text is null
    { number: 517, kind: 'conversions', value: new Map() },
    bool(518, true), // table aliases
    bool(519, false),
    bool(520, true), // expressions in ORDER BY
    bool(521, true), // ORDER BY of columns that are not selected
    int32(522, bits(0, 1)), // GROUP BY of unrelated columns, and beyond those selected
    bool(523, true), // LIKE … ESCAPE
    bool(524, true), // columns without nulls
    int32(525, bits(0, 1)), // the minimum and the core grammar of ODBC
    int32(526, bits(0)), // the entry level of ANSI 92
    bool(527, false),
    int32(528, bits(2)), // full outer joins
    text(529, 'schema'),
    text(530, 'procedure'),
    text(531, 'catalog'),
    bool(532, true), // a catalog is the first part of a name
    int32(533, 0), // schemas, and catalogs, in calls, indexes and privileges
    int32(534, 0),
    int32(535, 0), // no positioned commands
    bool(536, false), // no SELECT FOR UPDATE
    bool(537, false), // no stored procedures
    int32(538, bits(0, 1, 2, 3)), // subqueries: comparisons, EXISTS, IN, quantified
    bool(539, true), // correlated subqueries
    int32(540, bits(0, 1)), // UNION and UNION ALL
  ];
}

function limits({ statementBytesMax }: SqlServerDescription): SqlInfoEntry[] {
  const first = 541;
  const statementLength = 557;
  const rowSizeIncludesBlobs = 556;
  const last = 561;
  return Array.from({ length: last - first + 1 }, (_, index) => first + index).map((number) => {
    if (number === rowSizeIncludesBlobs) return bool(number, true);
    return int64(number, number === statementLength ? BigInt(statementBytesMax) : unlimited);
  });
}

const transactions: readonly SqlInfoEntry[] = [
  int64(562, 0n), // isolation by default: none, as there are no transactions
  bool(563, false),
  int32(564, bits(0)),
  bool(565, false),
  bool(566, false),
  int32(567, bits(1)), // result sets are read forward only
  int32(568, bits(1)), // and are read-only
  int32(569, bits(1)),
  int32(570, 0),
  int32(571, 0),
  bool(572, false), // batch updates
  bool(573, false), // savepoints
  bool(574, false), // named parameters
  bool(575, false),
  bool(576, false),
];
