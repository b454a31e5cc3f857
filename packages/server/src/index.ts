export type { Environment } from './environment.ts';
export { LiveSettings, type LiveSettingsOptions, type SettingsListener } from './live-settings.ts';
export type { RunningSamples } from './samples/open-samples.ts';
export type { QueryEngineFactory, QueryEngineSettings } from './queries/open-query-engine.ts';
export type { RunningService } from './start/role-run.ts';
export type { Role } from './start/roles.ts';
export type { RunningBroker } from './start/run-broker.ts';
export {
  type RolesRun,
  type RunningCleaner,
  type RunningRoles,
  runRoles,
} from './start/run-roles.ts';
export type { RunningServer } from './start/run-server.ts';
export { type RunningQuire, startQuire, type StartQuireOptions } from './start-quire.ts';
export type { BackendDependencies, ObjectStoreFactory } from './stores/open-store.ts';
