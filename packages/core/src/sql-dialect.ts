/** The query languages; `duckdb` is that of the embedded engine. */
export const sqlDialects = ['duckdb', 'pinot'] as const;

/** A query language. */
export type SqlDialect = (typeof sqlDialects)[number];
