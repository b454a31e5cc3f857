import { Command } from '@commander-js/extra-typings';
import { addCleanerCommand } from './commands/cleaner.ts';
import { addQueryCommand } from './commands/query.ts';
import { addResultsCommand } from './commands/results.ts';
import { addSettingsCommand } from './commands/settings.ts';
import { addStartCommand } from './commands/start.ts';
import { addStreamCommand } from './commands/stream.ts';
import { addTablesCommand } from './commands/tables.ts';
import { addTasksCommand } from './commands/tasks.ts';
import type { Environment } from './environment.ts';
import { reportFailure } from './report-failure.ts';
import { stylesFor } from './styles.ts';
import { readVersion } from '@quire/core/process';

/**
 * Runs one `quire` command, given what follows `quire` on the command line; resolves to the exit
 * code: 0, 1 when it failed, 2 when it was called wrongly. Nothing is thrown: failures are told on
 * standard error.
 */
export async function runCommand(
  args: readonly string[],
  environment: Environment,
): Promise<number> {
  const written: Promise<void>[] = [];
  try {
    await buildProgram(environment, written).parseAsync(args, { from: 'user' });
    await Promise.all(written);
    return 0;
  } catch (error) {
    await Promise.allSettled(written);
    return reportFailure(error, environment);
  }
}

/** All commands. What commander itself prints (help, usage errors) is added to `written`. */
function buildProgram(environment: Environment, written: Promise<void>[]) {
  const { stdout, stderr, variables } = environment;
  const program = new Command('quire')
    .description('Run a query once, page through its stored result.')
    .version(
      readVersion(new URL('../package.json', import.meta.url)),
      '-V, --version',
      'print the version',
    )
    .helpOption('-h, --help', 'print this help')
    .showHelpAfterError('Add --help to see what it takes.')
    .exitOverride()
    .configureHelp({ styleTitle: stylesFor(stdout, variables).strong })
    .configureOutput({
      writeOut: (text) => written.push(stdout.write(text)),
      writeErr: (text) => written.push(stderr.write(text)),
      getOutHelpWidth: () => stdout.size.columns,
      getErrHelpWidth: () => stderr.size.columns,
      getOutHasColors: () => stdout.isTerminal,
      getErrHasColors: () => stderr.isTerminal,
    });
  addStartCommand(program, environment);
  addQueryCommand(program, environment);
  addResultsCommand(program, environment);
  addTablesCommand(program, environment);
  addStreamCommand(program, environment);
  addTasksCommand(program, environment);
  addCleanerCommand(program, environment);
  addSettingsCommand(program, environment);
  return program;
}
