import { duration, integer, size } from '../setting-kind.ts';
import { setting } from '../setting-row.ts';

/** The processes that queries run in. */
export const workers = {
  memoryBytesMax: setting({
    key: 'engine.broker.workers.memory.maxMB',
    kind: size('MB', 128, 16_777_216),
    default: '1024',
    meaning:
      'Resident memory of a process that runs a query, whatever takes it; a query that takes more is ended with its process and fails ' +
      'with exception 245. At most `engine.broker.query.concurrency` times as much is taken by all. `engine.duckdb.memory.maxMB` is the softer ' +
      'limit within: what the engine counts of its own, and spills beyond.',
  }),
  idleCountMin: setting({
    key: 'engine.broker.workers.idle.min',
    kind: integer(0, 1024),
    default: '1',
    meaning: 'How many processes are kept ready though no query runs.',
  }),
  idleMs: setting({
    key: 'engine.broker.workers.idle.timeout',
    kind: duration('1s', '1d'),
    default: '60s',
    meaning: 'How long a further process may be without a query before it is stopped.',
  }),
  killGraceMs: setting({
    key: 'engine.broker.workers.kill.grace',
    kind: duration('10ms', '1m'),
    default: '500ms',
    meaning: 'How long a query that is told to stop may take for that, before its process is killed.',
  }),
};
