export type { RestreamSettings } from './decide.ts';
export type { RestreamLog } from './drive-job.ts';
export type { RestreamEngine } from './restream-engine.ts';
export {
  isFinal,
  type RestreamConfig,
  type RestreamJob,
  type RestreamStatus,
  restreamStatuses,
  type StageProblem,
  type StageRecord,
  type Aftermath,
} from './restream-job.ts';
export { Restreams, type RestreamsOptions, type StartOptions } from './restreams.ts';
export type { RestreamRequest } from './start-job.ts';
