import { duration, integer, size } from '../setting-kind.ts';
import { setting } from '../setting-row.ts';

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
