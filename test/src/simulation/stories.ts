import type { SimulationOptions } from './simulation.ts';

const oneBroker = {
  brokerCount: 1,
  proxyCount: 1,
  hasDaemon: false,
  clockErrorMaxMs: 0,
  listingLagMs: 0,
};

/** Runs that once broke a law, as simple as possible, with the cause that was fixed. */
export const stories: readonly (readonly [cause: string, story: SimulationOptions])[] = [
  [
    'the name of a new root of a file store was not durable: a power failure lost all results',
    {
      seed: 25,
      durationMs: 600_000,
      plan: {
        hasTables: false,
        proxyCount: 1,
        hasDaemon: false,
        clockErrorMaxMs: 0,
        listingLagMs: 0,
      },
      without: ['admin', 'kill', 'cut', 'slow', 'clock'],
    },
  ],
  [
    'directories of a new table server were not durable: a power failure lost tables that were confirmed',
    {
      seed: 31,
      durationMs: 75_000,
      plan: oneBroker,
      without: ['kill', 'lost', 'full', 'cut', 'slow', 'clock', 'settings', 'reset'],
    },
  ],
  [
    'a table server that was killed while it probed the free space of its disk left the file of the probe',
    { seed: 100_111, durationMs: 60_000 },
  ],
  [
    'where listings lag, a deletion right after the renewals of two brokers missed one of their records: its result has no data',
    {
      seed: 203_519,
      durationMs: 60_000,
      plan: { clockErrorMaxMs: 0 },
      without: [
        'admin',
        'kill',
        'power',
        'lost',
        'full',
        'cut',
        'slow',
        'clock',
        'settings',
        'reset',
      ],
    },
  ],
  [
    'with the mark of a running query, the objects of a broker were larger than its quota',
    {
      seed: 410_484,
      durationMs: 240_000,
      plan: oneBroker,
      without: ['kill', 'power', 'lost', 'full', 'cut', 'clock', 'settings', 'reset'],
    },
  ],
  [
    'the simulated admin did not resume the destination of a restream that it had tried to delete',
    {
      seed: 420_220,
      durationMs: 600_000,
      plan: { proxyCount: 1, hasDaemon: false, clockErrorMaxMs: 0, listingLagMs: 0 },
      without: ['kill', 'power', 'lost', 'full', 'cut', 'slow', 'clock', 'settings', 'reset'],
    },
  ],
];
