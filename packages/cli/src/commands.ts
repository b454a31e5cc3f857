import { Command } from '@commander-js/extra-typings';
import type { Environment } from './environment.ts';

type AddCommand = (program: Command, environment: Environment) => void;

/** An entry of the list of commands, which is shown without loading the command. */
interface ListedCommand {
  readonly name: string;
  readonly summary: string;
  /** Its arguments, as its usage shows them. */
  readonly parameters?: string;
  /** True if it has options, and not only commands below it. */
  readonly hasOptions?: boolean;
  /** Loads its module. */
  readonly load: () => Promise<AddCommand>;
}

const commands: readonly ListedCommand[] = [
  {
    name: 'start',
    summary: 'run a server until it is stopped',
    hasOptions: true,
    load: async () => (await import('./commands/start.ts')).addStartCommand,
  },
  {
    name: 'query',
    summary: 'run a query and show its result',
    parameters: '[sql]',
    hasOptions: true,
    load: async () => (await import('./commands/query.ts')).addQueryCommand,
  },
  {
    name: 'results',
    summary: 'list, show, download, delete, renew and measure stored results',
    load: async () => (await import('./commands/results.ts')).addResultsCommand,
  },
  {
    name: 'tables',
    summary: 'preview, create, load, pause, rebuild and delete tables',
    load: async () => (await import('./commands/tables.ts')).addTablesCommand,
  },
  {
    name: 'stream',
    summary: 'write messages to a stream, and read them',
    load: async () => (await import('./commands/stream.ts')).addStreamCommand,
  },
  {
    name: 'tasks',
    summary: 'list, run, show and cancel the tasks of tables',
    load: async () => (await import('./commands/tasks.ts')).addTasksCommand,
  },
  {
    name: 'cleaner',
    summary: 'delete expired results, keep each broker within its quota',
    hasOptions: true,
    load: async () => (await import('./commands/cleaner.ts')).addCleanerCommand,
  },
  {
    name: 'settings',
    summary: 'print all settings with their values and sources',
    hasOptions: true,
    load: async () => (await import('./commands/settings.ts')).addSettingsCommand,
  },
];

/**
 * Adds all commands to a program. Only those that the arguments name are loaded: the others are
 * listed in the help, and found by errors for similar names.
 */
export async function addCommands(
  program: Command,
  environment: Environment,
  args: readonly string[],
): Promise<void> {
  for (const command of commands) {
    if (args.includes(command.name)) (await command.load())(program, environment);
    else program.addCommand(listed(command));
  }
}

function listed({ name, summary, parameters, hasOptions = false }: ListedCommand): Command {
  const command = new Command(name).summary(summary);
  if (parameters !== undefined) command.argument(parameters);
  // The help shows whether a command has options, and not which ones.
  if (hasOptions) command.option('--any');
  return command;
}
