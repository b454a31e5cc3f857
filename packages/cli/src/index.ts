export type { Environment, Input, Key, Output, SignalName } from './environment.ts';
export { runCommand } from './run-command.ts';
