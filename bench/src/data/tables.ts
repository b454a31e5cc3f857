/**
 * A table of the benchmark: made by DuckDB, the same at every run, with values that look random.
 */
export interface BenchTable {
  readonly name: TableName;
  readonly columns: readonly BenchColumn[];
}

export interface BenchColumn {
  readonly name: string;
  /** SQL over the row's number `i`. */
  readonly sql: string;
  /** The type that PostgreSQL has for it. */
  readonly postgresType: string;
}

export type TableName = 'mixed' | 'narrow' | 'wide' | 'long';

const hashOf = (salt: number): string => `hash(i * 64 + ${salt})`;
const nullAtTimes = (salt: number, sql: string): string =>
  `CASE WHEN ${hashOf(salt)} % 10 = 0 THEN NULL ELSE ${sql} END`;
const below = (salt: number, limit: number): string => `CAST(${hashOf(salt)} % ${limit} AS BIGINT)`;

/** One column of each kind that results commonly have; two of them with nulls. */
const mixed: readonly BenchColumn[] = [
  { name: 'id', sql: 'CAST(i AS INTEGER)', postgresType: 'integer' },
  { name: 'account', sql: `CAST(${hashOf(1)} >> 1 AS BIGINT)`, postgresType: 'bigint' },
  {
    name: 'region',
    sql: `(['north', 'south', 'east', 'west', 'online'])[1 + ${below(2, 5)}]`,
    postgresType: 'text',
  },
  {
    name: 'note',
    sql: nullAtTimes(
      3,
      `'Order ' || ${below(4, 1_000_000_000)} || ' “' || ${below(5, 1_000_000)} || '” was left with the neighbour'`,
    ),
    postgresType: 'text',
  },
  {
    name: 'score',
    sql: `CAST(${hashOf(6)} >> 11 AS DOUBLE) / 9007199254740992 * 1000`,
    postgresType: 'double precision',
  },
  {
    name: 'amount',
    sql: nullAtTimes(7, `CAST(${below(8, 10_000_000)} * 0.01 AS DECIMAL(18, 2))`),
    postgresType: 'numeric(18, 2)',
  },
  {
    name: 'created',
    sql: `make_timestamp(1577836800000000 + ${below(9, 126_230_400_000_000)})`,
    postgresType: 'timestamp',
  },
  {
    name: 'due',
    sql: `DATE '2020-01-01' + CAST(${below(10, 1461)} AS INTEGER)`,
    postgresType: 'date',
  },
  { name: 'paid', sql: `${hashOf(11)} % 2 = 0`, postgresType: 'boolean' },
  { name: 'rate', sql: `CAST(${below(12, 10_000)} * 0.01 AS FLOAT)`, postgresType: 'real' },
];

const narrow = mixed.filter(({ name }) => name === 'id' || name === 'score');

/** A hundred columns: the mixed ones, ten times over with other values. */
const wide: readonly BenchColumn[] = Array.from({ length: 10 }, (_, copy) =>
  mixed.map((column) => ({
    ...column,
    name: `${column.name}_${copy}`,
    sql: column.sql.replaceAll('i * 64', `i * 64 + ${copy * 1_000_003}`),
  })),
).flat();

/** Texts of about a thousand bytes, some bytes of which JSON has to escape. */
const long: readonly BenchColumn[] = [
  { name: 'id', sql: 'CAST(i AS INTEGER)', postgresType: 'integer' },
  {
    name: 'body',
    sql: Array.from(
      { length: 11 },
      (_, part) =>
        `'It said "' || ${hashOf(part)} || '", and that was all there was to say about Zürich.\\n'`,
    ).join(' || '),
    postgresType: 'text',
  },
];

export const tables: Readonly<Record<TableName, BenchTable>> = {
  mixed: { name: 'mixed', columns: mixed },
  narrow: { name: 'narrow', columns: narrow },
  wide: { name: 'wide', columns: wide },
  long: { name: 'long', columns: long },
};

/** The rows of a table, in order. */
export function selectOf({ columns }: BenchTable, rowCount: number): string {
  return `SELECT ${columns.map(({ name, sql }) => `${sql} AS ${name}`).join(', ')} FROM range(${rowCount}) AS t(i)`;
}
