/* Expressions, conditions, aggregates and queries at the edges of the translation, over the rows of
   `dialect-rows.ts`: most of them had another value here once. */

/** Selected for each of the rows, in the order of `id`. */
export const edgeExpressions: readonly string[] = [
  'ROUNDDECIMAL(id + 0.005, 2)',
  'ROUNDDECIMAL(id * 0.285, 2)',
  "LENGTH(LTRIM('\t a\t'))",
  "LENGTH(RTRIM('\t a\t'))",
  "REGEXP_REPLACE(s, 'l', '\\$1')",
  "ENCODEURL('~a*b')",
  "HAMMINGDISTANCE('für', 'fur')",
  "LEVENSHTEINDISTANCE('ü', 'u')",
  "CONCATWS('-', note, 'x')",
  "FROMDATETIME('12:30', 'HH:mm')",
  "FROMDATETIME('03-05', 'MM-dd')",
  "CAST(FROMDATETIME('2024-10-27 02:30', 'yyyy-MM-dd HH:mm', 'Europe/Berlin') AS LONG)",
  "DATETRUNC('hour', 1729989000000 + id * 3600000, 'MILLISECONDS', 'Europe/Berlin')",
  "DATETIMECONVERT(tms / 1000, '1:SECONDS:EPOCH', '1:SECONDS:EPOCH', '1:SECONDS')",
  "JSON_EXTRACT_SCALAR(s, '$.a', 'STRING', 'none')",
  'ARRAY[1, 2.5]',
];

export const edgeConditions: readonly string[] = [
  "d = 'Infinity'",
  "REGEXP_LIKE(words, 'alpha')",
  "i = '13.0'",
  "i IN ('13', 26)",
];

export const edgeAggregates: readonly string[] = ['DISTINCTSUMMV(ints)', 'DISTINCTAVGMV(ints)'];

export const edgeQueries: readonly string[] = [
  'SELECT ints, COUNT(*) FROM things GROUP BY 1 ORDER BY 1 LIMIT 30',
  'SELECT ints AS n, COUNT(*) FROM things GROUP BY n ORDER BY n LIMIT 30',
  'SELECT VALUEIN(ints, 1, 7), COUNT(*) FROM things GROUP BY VALUEIN(ints, 1, 7) ORDER BY VALUEIN(ints, 1, 7) LIMIT 30',
  'SELECT ints, words, COUNT(*) FROM things GROUP BY ints, words ORDER BY ints, words LIMIT 99',
  'SELECT ints, COUNTMV(ints), SUMMV(ints) FROM things GROUP BY ints ORDER BY ints LIMIT 30',
  'SELECT DISTINCT words FROM things ORDER BY words LIMIT 30',
  'SELECT DISTINCT kind, ints FROM things ORDER BY kind, ints LIMIT 99',
  "SELECT ARRAY_AGG(maybe, 'INT') FROM things WHERE id < 9 LIMIT 1",
  "SELECT ARRAY_AGG(maybe, 'INT') FROM things WHERE id < 0 LIMIT 1",
  'SELECT * FROM (SELECT id AS x, i AS x FROM things) ORDER BY 1 LIMIT 3',
  'SELECT kind FROM things t JOIN kinds k ON t.kind = k.kind LIMIT 3',
  'SELECT id, LAG(maybe) IGNORE NULLS OVER (ORDER BY id) FROM things ORDER BY id LIMIT 24',
  'SELECT id, u.v FROM things CROSS JOIN UNNEST(ints) AS u(v) ORDER BY id, u.v LIMIT 30',
  // Refused by all.
  'SELECT nothing FROM things LIMIT 1',
  'SELECT NO_SUCH_FUNCTION(i) FROM things LIMIT 1',
  'SELECT i FROM nowhere LIMIT 1',
  'SELECT i FRM things',
  'SELECT d AS x FROM things WHERE x > 1 LIMIT 1',
  'SELECT CAST(s AS INT) FROM things WHERE id = 1 LIMIT 1',
  'SELECT ROUND(d) FROM things LIMIT 1',
];
