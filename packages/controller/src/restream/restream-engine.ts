import type { TableEngine } from '@quire/core/table-engine';

/** What a restream job asks of whatever keeps the tables. */
export type RestreamEngine = Pick<
  TableEngine,
  | 'cancelRebalance'
  | 'countRows'
  | 'createSchema'
  | 'createTable'
  | 'deleteSchema'
  | 'deleteTable'
  | 'forceCommit'
  | 'listTenants'
  | 'pauseConsumption'
  | 'readConsumption'
  | 'readForceCommit'
  | 'readRebalance'
  | 'readSchema'
  | 'readTable'
  | 'rebalance'
  | 'resumeConsumption'
>;
