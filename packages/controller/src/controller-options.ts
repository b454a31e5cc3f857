import type { ControllerHealthResponse } from '@quire/api';
import type { ServerOptions, ServiceMetrics } from '@quire/service';

/** What a controller is made of. */
export interface ControllerOptions extends ServerOptions {
  /** Counts what happens. */
  readonly metrics?: ServiceMetrics | undefined;
  /** What health says beside the controller's own: of its settings. Asked at every call. */
  readonly surroundings?: (() => Pick<ControllerHealthResponse, 'settingsProblems'>) | undefined;
}
