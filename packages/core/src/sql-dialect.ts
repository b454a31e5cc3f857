/** The languages that a query may be written in; `duckdb` is that of the embedded engine. */
export const sqlDialects = ['duckdb', 'pinot'] as const;

/** A language of queries. */
export type SqlDialect = (typeof sqlDialects)[number];
