import { modulePath } from '../module-kind.ts';
import { optionalSetting } from '../setting-row.ts';

/** What answers queries. */
export const engine = {
  modulePath: optionalSetting({
    key: 'engine.class',
    kind: modulePath,
    meaning:
      'A module, as a path, whose `openQueryEngine` opens the engine that queries run on; packages/cli/README.md shows one. It runs in the ' +
      'process of the broker, so `engine.broker.workers` does not apply to it. Without it: the embedded DuckDB, in processes of its own.',
  }),
};
