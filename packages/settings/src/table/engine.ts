import { sqlDialects } from '@quire/core';
import { engines } from '../engines.ts';
import { choice, modulePath, optionalSetting, setting } from '@quire/core/settings';

/** What answers queries. */
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
      'The language of queries that do not name theirs (`queryOptions: dialect=…` or `SET dialect = …;`), with the embedded engine. `duckdb`: as DuckDB ' +
      'has it; nothing is translated. `pinot`: that of Apache Pinot; every query is translated, whole. No query is taken for one of the other.',
  }),
  modulePath: optionalSetting({
    key: 'engine.class',
    kind: modulePath,
    meaning:
      'A module, as a path, whose `openQueryEngine` opens the engine that queries run on; packages/server/README.md shows one. It runs in the ' +
      'process of the broker, so `engine.broker.workers` does not apply to it. Without it `engine.kind` decides, and queries run in processes of their own.',
  }),
};
