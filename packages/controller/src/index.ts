export type { ControllerOptions } from './controller-options.ts';
export { createController } from './create-controller.ts';
