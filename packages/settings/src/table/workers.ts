import { duration, integer, setting, size } from '@quire/core/settings';

/** The processes that run queries. */
export const workers = {
  memoryBytesMax: setting({
    key: 'engine.broker.workers.memory.maxMB',
    kind: size('MB', 128, 16_777_216),
    default: '1024',
    meaning:
      'The limit for the resident memory of a query process, whatever uses it. A query that exceeds it is ended with its process and fails ' +
      'with exception 245. All processes together use at most `engine.broker.query.concurrency` times as much. `engine.duckdb.memory.maxMB` is the softer inner limit, on the memory that the engine accounts for: above it, the engine spills to disk.',
  }),
  idleCountMin: setting({
    key: 'engine.broker.workers.idle.min',
    kind: integer(0, 1024),
    default: '1',
    meaning: 'The number of idle processes that are kept ready.',
  }),
  idleMs: setting({
    key: 'engine.broker.workers.idle.timeout',
    kind: duration('1s', '1d'),
    default: '60s',
    meaning: 'The time after which a further idle process is stopped.',
  }),
  killGraceMs: setting({
    key: 'engine.broker.workers.kill.grace',
    kind: duration('10ms', '1m'),
    default: '500ms',
    meaning: 'The time that a cancelled query may take to stop before its process is killed.',
  }),
};

/** The processes that run table previews. */
export const previewWorkers = {
  memoryBytesMax: setting({
    key: 'controller.preview.workers.memory.maxMB',
    kind: size('MB', 128, 1_048_576),
    default: '768',
    meaning:
      'The limit for the resident memory of a preview process, whatever uses it. A preview that exceeds it is ended with its process and ' +
      'answered with 422. All processes together use at most `controller.preview.concurrency` times as much.',
  }),
  idleMs: setting({
    key: 'controller.preview.workers.idle.timeout',
    kind: duration('1s', '1d'),
    default: '30s',
    meaning: 'The time after which an idle process is stopped. The next preview starts another.',
  }),
  killGraceMs: setting({
    key: 'controller.preview.workers.kill.grace',
    kind: duration('10ms', '1m'),
    default: '5s',
    meaning:
      'The time for which a preview may continue after `controller.preview.timeout`, to answer with its rows so far, or after its caller has disconnected; ' +
      'then its process is killed, and the answer is 422.',
  }),
};

/** The processes that run tasks of tables. */
export const taskWorkers = {
  countMax: setting({
    key: 'engine.tables.task.workers.max',
    kind: integer(1, 64),
    default: '2',
    meaning: 'The number of concurrent subtasks, each in a separate process; others wait.',
  }),
  memoryBytesMax: setting({
    key: 'engine.tables.task.workers.memory.maxMB',
    kind: size('MB', 128, 1_048_576),
    default: '1024',
    meaning:
      'The limit for the resident memory of a subtask process, whatever uses it. A subtask that exceeds it is ended with its process and ' +
      'fails. All processes together use at most `engine.tables.task.workers.max` times as much.',
  }),
  idleMs: setting({
    key: 'engine.tables.task.workers.idle.timeout',
    kind: duration('1s', '1d'),
    default: '10s',
    meaning: 'The time after which an idle process is stopped.',
  }),
  killGraceMs: setting({
    key: 'engine.tables.task.workers.kill.grace',
    kind: duration('10ms', '1m'),
    default: '5s',
    meaning:
      'The time for which a subtask may continue after its timeout (`taskTimeout`) or the end of its task; then its process is killed.',
  }),
};

/** The processes that convert stream messages to rows. */
export const streamWorkers = {
  countMax: setting({
    key: 'engine.tables.stream.workers.max',
    kind: integer(1, 64),
    default: '2',
    meaning:
      'The number of processes that convert stream messages to rows; all partitions of all tables share them.',
  }),
  memoryBytesMax: setting({
    key: 'engine.tables.stream.workers.memory.maxMB',
    kind: size('MB', 128, 1_048_576),
    default: '512',
    meaning:
      'The limit for the resident memory of such a process. One that exceeds it is ended, and its messages are retried, a few at a ' +
      'time; a message that exceeds it by itself counts as one that cannot be decoded.',
  }),
  timeMaxMs: setting({
    key: 'engine.tables.stream.workers.timeout',
    kind: duration('100ms', '1h'),
    default: '10s',
    meaning:
      'The timeout of such a process for a batch of messages. One that exceeds it is ended, and its messages are retried in the same way.',
  }),
  idleMs: setting({
    key: 'engine.tables.stream.workers.idle.timeout',
    kind: duration('1s', '1d'),
    default: '1m',
    meaning: 'The time after which an idle process is stopped.',
  }),
};
