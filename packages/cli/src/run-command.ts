import { Command, CommanderError } from '@commander-js/extra-typings';
import { addCommands } from './commands.ts';
import type { Environment } from './environment.ts';
import { reportFailure } from './report-failure.ts';
import { stylesFor } from './styles.ts';
import { readVersion } from '@quire/core/process';

/**
 * Runs one `quire` command with its arguments; resolves to the exit code: 0, 1 if it failed, or 2
 * for wrong usage. Throws nothing: failures are reported on standard error.
 */
export async function runCommand(
  args: readonly string[],
  environment: Environment,
): Promise<number> {
  const written: Promise<void>[] = [];
  try {
    const program = buildProgram(environment, written);
    await addCommands(program, environment, args);
    await program.parseAsync(args, { from: 'user' }).catch((error: unknown) => {
      // Commander ends --help and --version in this way as well.
      if (!(error instanceof CommanderError && error.exitCode === 0)) throw error;
    });
    await Promise.all(written);
    return 0;
  } catch (error) {
    await Promise.allSettled(written);
    return reportFailure(error, environment);
  }
}

/** Builds the program. The output of commander itself (help, errors) is added to `written`. */
function buildProgram(environment: Environment, written: Promise<void>[]) {
  const { stdout, stderr, variables } = environment;
  return new Command('quire')
    .description('Run a query once, page through its stored result.')
    .version(
      readVersion(new URL('../package.json', import.meta.url)),
      '-V, --version',
      'print the version',
    )
    .helpOption('-h, --help', 'print this help')
    .showHelpAfterError('Add --help for its arguments and options.')
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
}
