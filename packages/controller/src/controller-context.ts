import type { ServiceContext } from '@quire/service';
import type { ControllerOptions } from './controller-options.ts';

/** What the routes of one controller work with. */
export interface ControllerContext extends ServiceContext {
  readonly options: ControllerOptions;
}
