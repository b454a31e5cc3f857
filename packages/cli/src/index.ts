export type { Environment, Input, Key, Output, SignalName } from './environment.ts';
export { runCommand } from './run-command.ts';
export type { ObjectStoreFactory } from './stores/open-remote-store.ts';
export type { QueryEngineFactory, QueryEngineSettings } from './start/open-query-engine.ts';
export type { Role } from './start/roles.ts';
export { type RunningQuire, startQuire, type StartQuireOptions } from './start-quire.ts';
