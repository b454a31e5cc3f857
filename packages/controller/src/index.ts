export { ControllerMetrics } from './controller-metrics.ts';
export type { ConsoleFile, ConsoleFiles, ControllerConsole } from './console-files.ts';
export type { ControllerOptions, ControllerTables } from './controller-options.ts';
export { type Controller, createController } from './create-controller.ts';
export type { ControllerPreviewOptions, PreviewCall, RunPreview } from './preview-options.ts';
export type { TablesStatus } from './table-watch.ts';
