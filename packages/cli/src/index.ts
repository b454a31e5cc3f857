export type { Environment, Input, Output, SignalName } from './environment.ts';
export { runCommand } from './run-command.ts';
