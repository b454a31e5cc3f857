export { ControllerMetrics } from './controller-metrics.ts';
export type { ConsoleFile, ConsoleFiles, ControllerConsole } from './console-files.ts';
export type { ControllerOptions, ControllerTables } from './controller-options.ts';
export { type Controller, createController } from './create-controller.ts';
export type { ControllerPreviewOptions, PreviewCall, RunPreview } from './preview-options.ts';
export {
  type Cleanup,
  isFinal,
  type RestreamConfig,
  type RestreamJob,
  type RestreamStatus,
  type StageProblem,
  type StageRecord,
} from './restream/restream-job.ts';
export type { RestreamEngine } from './restream/restream-engine.ts';
export type { RestreamLog } from './restream/drive-job.ts';
export type { RestreamRequest } from './restream/start-job.ts';
export { Restreams, type RestreamsOptions, type StartOptions } from './restream/restreams.ts';
export type { RestreamSettings } from './restream/decide.ts';
export type { TablesStatus } from './table-watch.ts';
