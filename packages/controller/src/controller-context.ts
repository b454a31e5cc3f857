import type { ServiceContext } from '@quire/service';
import type { BrokerClient } from './broker-client.ts';
import type { ControllerOptions } from './controller-options.ts';
import type { ExpiryJob } from './expiry-job.ts';

/** What the routes of one controller work with. */
export interface ControllerContext extends ServiceContext {
  readonly options: ControllerOptions;
  readonly client: BrokerClient;
  readonly job: ExpiryJob;
}
