import type { TableEngine } from '@quire/core/table-engine';

/** The part of a table engine that restream jobs use. */
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
