export { ControllerMetrics } from './controller-metrics.ts';
export type { ConsoleFile, ConsoleFiles, ControllerConsole } from './console-files.ts';
export type { ControllerOptions } from './controller-options.ts';
export { type Controller, createController } from './create-controller.ts';
export type { ControllerPreviewOptions, PreviewCall, RunPreview } from './preview/preview-options.ts';
export type { ControllerTables } from './tables/table-context.ts';
export type { TablesStatus } from './tables/table-watch.ts';
