import type { FairSlots } from '@quire/core/wait';
import type { ServiceContext } from '@quire/service';
import type { BrokerClient } from './broker-client.ts';
import type { TableEngine } from '@quire/core/table-engine';
import type { ControllerOptions, ControllerTables } from './controller-options.ts';
import type { ExpiryJob } from './expiry-job.ts';
import type { TableWatch } from './table-watch.ts';

/** What the routes of one controller work with. */
export interface ControllerContext extends ServiceContext {
  readonly options: ControllerOptions;
  readonly client: BrokerClient;
  readonly job: ExpiryJob;
  /** What keeps tables, together with what brokers read from files. */
  readonly tables: ControllerTables | undefined;
  /** The same to be read; where no tables are kept, what brokers read from files by itself. */
  readonly readTables: TableEngine;
  /** Slots that previews run in; principals share them. */
  readonly previewSlots: FairSlots;
  /** What they do as a whole. */
  readonly watch: TableWatch | undefined;
}
