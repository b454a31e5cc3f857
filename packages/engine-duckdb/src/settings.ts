import type { EngineSettings } from '@quire/core';
import { integer, setting, size } from '@quire/core/settings';

/** The limits of running queries, and of their texts and results. */
const settings = {
  memoryBytesMax: setting({
    key: 'engine.duckdb.memory.maxMB',
    kind: size('MB', 64, 16_777_216),
    default: '2048',
    meaning:
      'The memory that all running queries together may use for hashing, sorting and buffers; beyond it they spill. Each of them has an equal share: ' +
      'the limit divided by `engine.broker.query.concurrency`.',
  }),
  threadCount: setting({
    key: 'engine.duckdb.threads',
    kind: integer(0, 1024),
    default: '0',
    meaning: 'Threads of one running query; 0 is one per processor.',
  }),
  spillBytesMax: setting({
    key: 'engine.duckdb.spill.maxMB',
    kind: size('MB', 0, 16_777_216),
    default: '8192',
    meaning:
      'Disk space under `engine.broker.pagination.temp.dir` for data that does not fit in memory, in equal shares as well. With 0, ' +
      'nothing is spilled, and such a query fails.',
  }),
  textBytesMax: setting({
    key: 'engine.duckdb.statement.text.maxKB',
    kind: size('KB', 1, 65_536),
    default: '1024',
    meaning:
      'The maximum length of the text of a query. A query that exceeds this or one of the following limits is refused before it is planned.',
  }),
  columnsMax: setting({
    key: 'engine.duckdb.statement.columns.max',
    kind: integer(1, 100_000),
    default: '5000',
    meaning: 'The maximum number of columns of an answer; members of structs count as columns.',
  }),
  valuesMax: setting({
    key: 'engine.duckdb.statement.values.max',
    kind: integer(1, 10_000_000),
    default: '16384',
    meaning:
      'The maximum number of values in a row of an answer; a column of `INT[1000]` has 1,000, lists without a fixed size count as one.',
  }),
  depthMax: setting({
    key: 'engine.duckdb.statement.depth.max',
    kind: integer(10, 10_000),
    default: '1000',
    meaning:
      'The maximum depth of nested brackets, and of nested parts of a query; the parts of a `UNION` count as nested in each other.',
  }),
  nodesMax: setting({
    key: 'engine.duckdb.statement.nodes.max',
    kind: integer(100, 1_000_000),
    default: '50000',
    meaning:
      'The maximum number of parts of a query: each constant, column, call, table and clause is one.',
  }),
};

/** DuckDB in processes of the server. */
export const duckDbSettings = {
  name: 'embedded',
  title: 'The embedded query engine',
  meaning: 'DuckDB answers queries, and the role `server` manages tables.',
  settings,
  required: [],
} as const satisfies EngineSettings<typeof settings>;
