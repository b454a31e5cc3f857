/** A malicious statement, and its target. */
export interface HostileStatement {
  readonly aim: 'time' | 'memory' | 'planning' | 'width';
  readonly sql: string;
}

const counts = [1000, 10_000, 40_000];

/** More than 200 statements of mixed kinds, which cost much more than they seem to. */
export const hostileStatements: readonly HostileStatement[] = mixed([
  ...family('time', slowCalls()),
  ...family('memory', largeValues()),
  ...family('planning', longTexts()),
  ...family('width', wideAnswers()),
]);

/**
 * Calls whose time grows with the square of their arguments, endless loops, cross joins of
 * everything.
 */
function slowCalls(): string[] {
  const distances = [
    'levenshtein',
    'damerau_levenshtein',
    'jaro_similarity',
    'jaro_winkler_similarity',
    'hamming',
    'jaccard',
  ];
  const pairs = [
    ["repeat('ab', 100000)", "repeat('ba', 100000)"],
    ["repeat('a', 30000)", "repeat('b', 30000)"],
  ];
  const joins = [
    'count(*)',
    'sum(a.distance * b.delay)',
    'max(a.origin || b.origin)',
    'count(DISTINCT a.delay + b.delay)',
  ];
  const scalars = [
    'sum(sqrt(n) + ln(n + 1))',
    'count(md5(n::VARCHAR))',
    'count(sha256(n::VARCHAR))',
    'sum(hash(n) % 7)',
    'count(n::VARCHAR)',
  ];
  const patterns = ["'(a+)+b'", "'(a|aa)+b'", "'(.*)*x'", "'a{1000}'"];
  return [
    ...distances.flatMap((name) =>
      pairs.map(([left, right]) => `SELECT ${name}(${left}, ${right})`),
    ),
    ...distances.map((name) => `SELECT sum(${name}(a.origin, b.origin)) FROM flights a, flights b`),
    ...joins.map((what) => `SELECT ${what} FROM flights a, flights b`),
    ...joins.map((what) => `SELECT ${what} FROM flights a JOIN flights b ON a.delay < b.delay`),
    ...scalars.map((what) => `SELECT ${what} FROM range(1000000000000) t(n)`),
    ...patterns.map((pattern) => `SELECT regexp_matches(repeat('a', 1000000), ${pattern})`),
    ...patterns.map(
      (pattern) =>
        `SELECT count(*) FROM range(100000) WHERE regexp_matches(repeat('a', 100000), ${pattern})`,
    ),
    'WITH RECURSIVE t(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM t) SELECT max(n) FROM t',
    'WITH RECURSIVE t(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM t) SELECT n FROM t',
    'WITH RECURSIVE t(n) AS (SELECT 0::BIGINT UNION SELECT (n * 7 + 1) % 100000007 FROM t) SELECT count(*) FROM t',
    'SELECT count(*) FROM flights a, flights b, flights c',
    'SELECT a.delay, row_number() OVER (ORDER BY a.delay, b.delay) FROM flights a, flights b',
    'SELECT (SELECT count(*) FROM flights b WHERE b.delay > a.delay) FROM flights a',
    'SELECT mode(a.delay + b.delay) FROM flights a, flights b',
    'SELECT list_sum(list_transform(range(100000000), lambda x: x * x))',
    'SELECT list_reduce(range(100000000), lambda x, y: x + y)',
    "SELECT length(translate(repeat('a', 100000000), 'a', 'b'))",
    'SELECT count(*) FROM (SELECT unnest(range(1000000)) FROM range(1000000))',
  ];
}

/**
 * Values that take gigabytes, in ways that DuckDB's own limit counts and in ways that it does not.
 */
function largeValues(): string[] {
  const sizes = [100_000_000, 2_000_000_000];
  const texts = [
    (size: number) => `lpad('a', ${size}, 'b')`,
    (size: number) => `rpad('a', ${size}, 'b')`,
    (size: number) => `repeat('a', ${size})`,
    (size: number) => `repeat('ab', ${size / 2})`,
    (size: number) => `upper(repeat('ä', ${size / 10}))`,
    (size: number) => `replace(repeat('a', ${size / 100}), 'a', repeat('b', 100))`,
    (size: number) => `replace(repeat('a', ${size / 1000}), 'a', repeat('b', 1000))`,
    (size: number) => `reverse(repeat('a', ${size}))`,
    (size: number) => `hex(repeat('a', ${size / 10}))`,
    (size: number) => `base64(repeat('a', ${size / 10})::BLOB)`,
    (size: number) => `printf('%${Math.min(size, 999_999_999)}d', 1)`,
    (size: number) => `format('{:>${Math.min(size, 999_999_999)}}', 1)`,
    (size: number) => `string_split(repeat('a,', ${size / 10}), ',')`,
    (size: number) => `regexp_replace(repeat('a', ${size / 100}), 'a', repeat('b', 100), 'g')`,
    (size: number) => `regexp_extract_all(repeat('ab', ${size / 100}), 'a')`,
    (size: number) => `concat(repeat('a', ${size / 2}), repeat('b', ${size / 2}))`,
  ];
  const lists = [
    'range(1000000000)',
    'list_sort(range(1000000000))',
    'list_reverse(range(300000000))',
    'generate_series(1, 1000000000)',
    'list_concat(range(300000000), range(300000000))',
    'list_distinct(range(100000000))',
    'list_transform(range(300000000), lambda x: x + 1)',
    'list_zip(range(100000000), range(100000000))',
    'list_resize([1], 1000000000, 0)',
    'flatten(list_transform(range(20000), lambda x: range(20000)))',
    'map_from_entries(list_zip(range(10000000), range(10000000)))',
    'to_json(range(100000000))',
  ];
  const aggregates = [
    'list(n)',
    "string_agg(n::VARCHAR, ',')",
    'histogram(n)',
    'map(list(n), list(n))',
    'count(DISTINCT md5(n::VARCHAR))',
    'quantile_cont(n, 0.5)',
    'arg_max(n, n, 10000000)',
  ];
  return [
    ...sizes.flatMap((size) => texts.map((text) => `SELECT length(${text(size)}::VARCHAR)`)),
    ...texts.map((text) => `SELECT ${text(100_000_000)} FROM range(100)`),
    ...lists.map((list) => `SELECT ${list}`),
    ...lists.map((list) => `SELECT len(${list}::VARCHAR)`),
    ...aggregates.map(
      (aggregate) => `SELECT length(${aggregate}::VARCHAR) FROM range(300000000) t(n)`,
    ),
    'SELECT NULL::INTEGER[100000] FROM range(1000000)',
    "SELECT repeat('x', 1000000) FROM range(100000)",
    'SELECT * FROM flights a, flights b ORDER BY a.delay + b.delay',
    "SELECT repeat('x', 100000) || n FROM range(1000000) t(n) ORDER BY 1",
    'SELECT 9::BIGNUM',
    `SELECT ('1' || repeat('0', 1000000))::BIGNUM * ('1' || repeat('0', 1000000))::BIGNUM`,
    'SELECT pow(2, 1000000)::HUGEINT',
    "SELECT bitstring(repeat('1', 100000000))",
    'PIVOT (SELECT n % 5000 AS k, n FROM range(100000) t(n)) ON k USING sum(n)',
  ];
}

/** Texts that are long or deep: they cost the parser and the planner, before anything runs. */
function longTexts(): string[] {
  const depths = [100, 1000, 20_000];
  const list = (count: number, item: (index: number) => string, separator = ', '): string =>
    Array.from({ length: count }, (_, index) => item(index)).join(separator);
  return [
    ...counts.map((count) => `SELECT 1 WHERE 1 IN (${list(count, String)})`),
    ...counts.map((count) => `SELECT coalesce(${list(count, () => 'NULL')})`),
    ...counts.map((count) => `SELECT concat(${list(count, (index) => `'${index}'`)})`),
    ...counts.map((count) => `SELECT greatest(${list(count, String)})`),
    ...counts.map(
      (count) =>
        `SELECT CASE ${list(count, (index) => `WHEN 1 = ${index} THEN ${index}`, ' ')} END`,
    ),
    ...counts.map((count) => list(count, (index) => `SELECT ${index}`, ' UNION ALL ')),
    ...counts.map((count) => list(count, (index) => `SELECT ${index}`, ' UNION ')),
    ...counts.map((count) => `SELECT ${list(count, String, ' + ')}`),
    ...counts.map((count) => `SELECT 1 WHERE ${list(count, (index) => `1 = ${index}`, ' OR ')}`),
    ...counts.map((count) => `VALUES ${list(count, (index) => `(${index})`)}`),
    ...counts.map((count) => `SELECT [${list(count, String)}]`),
    ...counts.map((count) => `SELECT {${list(count, (index) => `a${index}: ${index}`)}}`),
    ...[10, 20, 100].map(
      (count) => `SELECT count(*) FROM ${list(count, (index) => `flights f${index}`)}`,
    ),
    ...[10, 20, 100].map(
      (count) =>
        `WITH ${list(count, (index) => `t${index} AS (SELECT * FROM ${index === 0 ? 'flights' : `t${index - 1} a, t${index - 1} b`})`)} SELECT count(*) FROM t${count - 1}`,
    ),
    ...depths.map((depth) => `SELECT ${'('.repeat(depth)}1${')'.repeat(depth)}`),
    ...depths.map((depth) => `SELECT ${'abs('.repeat(depth)}1${')'.repeat(depth)}`),
    ...depths.map((depth) => `SELECT ${'NOT '.repeat(depth)}true`),
    ...depths.map((depth) => `${'SELECT * FROM ('.repeat(depth)}SELECT 1${')'.repeat(depth)}`),
    ...depths.map((depth) => `SELECT ${'['.repeat(depth)}1${']'.repeat(depth)}`),
    ...depths.map((depth) => `SELECT ${'CAST('.repeat(depth)}1${' AS INTEGER)'.repeat(depth)}`),
    'SELECT * FROM flights GROUP BY CUBE (delay, distance, origin, destination, date, 1, 2, 3, 4, 5, 6, 7, 8)',
    `SELECT count(*) FROM flights GROUP BY CUBE (${list(12, (index) => `delay + ${index}`)})`,
  ];
}

/** Answers with very many columns, or with columns of very many parts. */
function wideAnswers(): string[] {
  const list = (count: number, item: (index: number) => string): string =>
    Array.from({ length: count }, (_, index) => item(index)).join(', ');
  return counts.flatMap((count) => [
    `SELECT ${list(count, String)}`,
    `SELECT ${list(count, (index) => `${index} AS a_rather_long_name_of_a_column_${index}`)}`,
    `SELECT ${list(count, () => 'n')} FROM range(1000) t(n)`,
    `SELECT ${list(Math.floor(count / 10), () => '*')} FROM flights`,
    `SELECT ${list(Math.floor(count / 10), () => 'COLUMNS(*)')} FROM flights`,
    `SELECT ${list(count, (index) => `[${index}]`)}`,
    `SELECT ${list(count, (index) => `{a: ${index}, b: 'x'}`)}`,
    `SELECT NULL::STRUCT(${list(count, (index) => `a${index} INTEGER`)})`,
    `SELECT NULL::STRUCT(${list(count, (index) => `a${index} INTEGER`)}) FROM range(10000)`,
  ]);
}

function family(
  aim: HostileStatement['aim'],
  statements: readonly string[],
): readonly HostileStatement[] {
  return statements.map((sql) => ({ aim, sql }));
}

/** The same statements in an order that mixes the kinds, the same each time. */
function mixed(statements: readonly HostileStatement[]): readonly HostileStatement[] {
  const step = 89;
  return statements.map(
    (_, index) =>
      statements[(index * step) % statements.length] ?? { aim: 'time', sql: 'SELECT 1' },
  );
}
