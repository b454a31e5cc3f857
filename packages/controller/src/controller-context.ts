import type { FairSlots } from '@quire/core/wait';
import type { ServiceContext } from '@quire/service';
import type { BrokerClient } from './broker-client.ts';
import type { TableEngine } from '@quire/core/table-engine';
import type { ControllerOptions, ControllerTables } from './controller-options.ts';
import type { ExpiryJob } from './expiry-job.ts';
import type { TableWatch } from './table-watch.ts';

/** The dependencies of the routes of one controller. */
export interface ControllerContext extends ServiceContext {
  readonly options: ControllerOptions;
  readonly client: BrokerClient;
  readonly job: ExpiryJob;
  /** The table engine with its jobs, including the tables that brokers read from files. */
  readonly tables: ControllerTables | undefined;
  /**
   * The same tables for reading; without a table engine, only those that brokers read from files.
   */
  readonly readTables: TableEngine;
  /** The slots for previews, which principals share. */
  readonly previewSlots: FairSlots;
  /** The state of all tables together. */
  readonly watch: TableWatch | undefined;
}
