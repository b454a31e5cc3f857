import { sqlDialects } from '@quire/core';
import { engines } from '../engines.ts';
import { choice, modulePath, optionalSetting, setting } from '@quire/core/settings';

/** The query engine. */
export const engine = {
  kind: setting({
    key: 'engine.kind',
    kind: choice(...engines.map(({ name }) => name)),
    default: engines[0].name,
    meaning: engines.map(({ name, meaning }) => `\`${name}\`: ${meaning}`).join(' '),
  }),
  dialect: setting({
    key: 'engine.sql.dialect',
    kind: choice(...sqlDialects),
    default: 'duckdb',
    live: true,
    meaning:
      "The language of queries that do not select one (`queryOptions: dialect=…` or `SET dialect = …;`), for the embedded engine. `duckdb`: DuckDB's " +
      'SQL, unchanged. `pinot`: that of Apache Pinot; every query is translated completely. The language is never guessed.',
  }),
  modulePath: optionalSetting({
    key: 'engine.class',
    kind: modulePath,
    meaning:
      'The path of a module whose `openQueryEngine` opens the query engine; packages/server/README.md has an example. It runs in the ' +
      'process of the broker, so `engine.broker.workers` has no effect on it. Without it, `engine.kind` selects the engine, and queries run in separate processes.',
  }),
};
