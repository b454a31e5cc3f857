import { duration, integer, size } from '../setting-kind.ts';
import { setting } from '../setting-row.ts';

/** The processes that make rows of the messages of streams. */
export const streamWorkers = {
  countMax: setting({
    key: 'engine.tables.stream.workers.max',
    kind: integer(1, 64),
    default: '2',
    meaning: 'How many processes make rows of the messages of streams; all partitions of all tables share them.',
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
