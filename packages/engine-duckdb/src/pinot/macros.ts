const estimatesOfCounts = [
  'distinctcount',
  'distinctcountbitmap',
  'distinctcounthll',
  'distinctcounthllplus',
  'distinctcountsmarthll',
  'distinctcountull',
  'distinctcountcpc',
  'segmentpartitioneddistinctcount',
];

const estimatesOfPercentiles = ['percentiletdigest', 'percentilekll', 'percentilesmarttdigest'];

/**
 * Functions of Apache Pinot that DuckDB lacks, and those that a translated query calls (`quire_…`),
 * as DuckDB's macros. None has the name of a function of DuckDB, so nothing that DuckDB understands
 * means something else.
 *
 * Counts and percentiles are exact where Pinot's are estimates.
 */
export const pinotMacros: readonly string[] = [
  ...estimatesOfCounts.map(
    (name) => `${name}(x) AS count(DISTINCT x), (x, size) AS count(DISTINCT x)`,
  ),
  // The value at the place floor(n * p / 100) of n sorted ones, which none of DuckDB's quantiles
  // takes.
  `percentile(x, p) AS list_extract(
    list_sort(list(CAST(x AS DOUBLE)) FILTER (x IS NOT NULL)),
    CAST(least(count(x) - 1, floor(count(x) * CAST(p AS DOUBLE) / 100)) + 1 AS BIGINT))`,
  ...estimatesOfPercentiles.map(
    (name) =>
      `${name}(x, p) AS quantile_cont(CAST(x AS DOUBLE), p / 100), (x, p, size) AS quantile_cont(CAST(x AS DOUBLE), p / 100)`,
  ),
  'percentileest(x, p) AS CAST(percentile(x, p) AS BIGINT)',
  // Instants are timestamps, or milliseconds since 1970.
  `quire_epoch_ms(x TIMESTAMP) AS epoch_ms(x), (x TIMESTAMPTZ) AS epoch_ms(x), (x BIGINT) AS x, (x DOUBLE) AS CAST(x AS BIGINT),
    (x VARCHAR) AS epoch_ms(CAST(x AS TIMESTAMP))`,
  `quire_timestamp(x BIGINT) AS make_timestamp(x * 1000), (x DOUBLE) AS make_timestamp(CAST(x AS BIGINT) * 1000),
    (x) AS CAST(x AS TIMESTAMP)`,
  'quire_long(x TIMESTAMP) AS epoch_ms(x), (x TIMESTAMPTZ) AS epoch_ms(x), (x) AS CAST(x AS BIGINT)',
  `quire_trunc(part, x TIMESTAMP) AS date_trunc(part, x), (part, x TIMESTAMPTZ) AS date_trunc(part, CAST(x AS TIMESTAMP)),
    (part, x BIGINT) AS epoch_ms(date_trunc(part, make_timestamp(x * 1000)))`,
  `quire_round(x TIMESTAMP, size) AS make_timestamp(epoch_ms(x) // size * size * 1000),
    (x TIMESTAMPTZ, size) AS make_timestamp(epoch_ms(x) // size * size * 1000), (x BIGINT, size) AS x // size * size`,
  'quire_floor(x, size) AS x - (x % size + size) % size',
].map((macro) => `CREATE MACRO ${macro}`);
