import { duration } from '../setting-kind.ts';
import { setting } from '../setting-row.ts';

/** Jobs that rebuild real-time tables from their streams. */
export const restream = {
  pollMs: setting({
    key: 'controller.restream.poll.period',
    kind: duration('100ms', '10m'),
    default: '2s',
    live: true,
    meaning: 'How often a restream job looks at its tables.',
  }),
  noProgressMaxMs: setting({
    key: 'controller.restream.no.progress.timeout',
    kind: duration('1s', '7d'),
    default: '10m',
    live: true,
    meaning: 'A restream job whose destination consumes nothing for this long, while a controller watches, fails.',
  }),
  commitMaxMs: setting({
    key: 'controller.restream.commit.timeout',
    kind: duration('1s', '1d'),
    default: '10m',
    live: true,
    meaning: 'How long the consuming segments of a destination may take to be committed.',
  }),
  commitRetryMs: setting({
    key: 'controller.restream.commit.retry.period',
    kind: duration('1s', '1d'),
    default: '1m',
    live: true,
    meaning: 'After how long without an end a commit is asked for again.',
  }),
  leaseMs: setting({
    key: 'controller.restream.lease.duration',
    kind: duration('1s', '1h'),
    default: '30s',
    meaning: 'How long the restream jobs of a controller that died wait until another drives them.',
  }),
};
