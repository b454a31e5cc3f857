import { duration, size } from '../setting-kind.ts';
import { setting } from '../setting-row.ts';

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
    meaning: 'How long a process may be without a preview before it is stopped. The first preview after that starts another.',
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
