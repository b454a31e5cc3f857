import { duration, integer, setting, size } from '@quire/core/settings';

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
    meaning:
      'How long a query that is told to stop may take for that, before its process is killed.',
  }),
};

/** The processes that previews of tables run in. */
export const previewWorkers = {
  memoryBytesMax: setting({
    key: 'controller.preview.workers.memory.maxMB',
    kind: size('MB', 128, 1_048_576),
    default: '768',
    meaning:
      'Resident memory of a process that runs a preview, whatever takes it; a preview that takes more is ended with its process and ' +
      'answered with 422. At most `controller.preview.concurrency` times as much is taken by all.',
  }),
  idleMs: setting({
    key: 'controller.preview.workers.idle.timeout',
    kind: duration('1s', '1d'),
    default: '30s',
    meaning:
      'How long a process may be without a preview before it is stopped. The first preview after that starts another.',
  }),
  killGraceMs: setting({
    key: 'controller.preview.workers.kill.grace',
    kind: duration('10ms', '1m'),
    default: '5s',
    meaning:
      'How long a preview may go on when `controller.preview.timeout` is over, to answer with what it has, or when its caller has gone; ' +
      'then its process is killed, and the answer is 422.',
  }),
};

/** The processes that the tasks of tables run in. */
export const taskWorkers = {
  countMax: setting({
    key: 'engine.tables.task.workers.max',
    kind: integer(1, 64),
    default: '2',
    meaning: 'How many subtasks run at once, each in a process of its own; others wait.',
  }),
  memoryBytesMax: setting({
    key: 'engine.tables.task.workers.memory.maxMB',
    kind: size('MB', 128, 1_048_576),
    default: '1024',
    meaning:
      'Resident memory of a process that runs a subtask, whatever takes it; a subtask that takes more is ended with its process, and has ' +
      'failed. At most `engine.tables.task.workers.max` times as much is taken by all.',
  }),
  idleMs: setting({
    key: 'engine.tables.task.workers.idle.timeout',
    kind: duration('1s', '1d'),
    default: '10s',
    meaning: 'How long a process may be without a subtask before it is stopped.',
  }),
  killGraceMs: setting({
    key: 'engine.tables.task.workers.kill.grace',
    kind: duration('10ms', '1m'),
    default: '5s',
    meaning:
      'How long a subtask may go on when its time (`taskTimeout`) is over or its task was ended; then its process is killed.',
  }),
};

/** The processes that make rows of the messages of streams. */
export const streamWorkers = {
  countMax: setting({
    key: 'engine.tables.stream.workers.max',
    kind: integer(1, 64),
    default: '2',
    meaning:
      'How many processes make rows of the messages of streams; all partitions of all tables share them.',
  }),
  memoryBytesMax: setting({
    key: 'engine.tables.stream.workers.memory.maxMB',
    kind: size('MB', 128, 1_048_576),
    default: '512',
    meaning:
      'Resident memory of such a process. One that takes more is ended, and the messages that it worked on are tried again, a few at a ' +
      'time: one that is too much by itself is bad, as one is that cannot be decoded.',
  }),
  timeMaxMs: setting({
    key: 'engine.tables.stream.workers.timeout',
    kind: duration('100ms', '1h'),
    default: '10s',
    meaning:
      'How long such a process may work on a batch of messages; one that takes longer is ended, and they are tried again likewise.',
  }),
  idleMs: setting({
    key: 'engine.tables.stream.workers.idle.timeout',
    kind: duration('1s', '1d'),
    default: '1m',
    meaning: 'How long such a process may be without messages before it is stopped.',
  }),
};
