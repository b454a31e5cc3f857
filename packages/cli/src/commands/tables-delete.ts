import type { Command } from '@commander-js/extra-typings';
import type { Environment } from '../environment.ts';
import { abortOnInterrupt } from '../interrupt.ts';
import { createAdminClient, withControllerOptions } from '../server-options.ts';

/** Adds `quire tables delete`. */
export function addTablesDeleteCommand(tables: Command, environment: Environment): void {
  withControllerOptions(tables.command('delete'))
    .summary('delete a table and its rows')
    .description(
      'Delete a table and its rows, not its schema: both halves, or the one that a name with _OFFLINE or _REALTIME says.',
    )
    .argument('<table>', 'name of the table')
    .action(async (table, options) => {
      using interrupt = abortOnInterrupt(environment);
      await environment.stdout.write(`${await createAdminClient(options, environment).deleteTable(table, interrupt)}.\n`);
    });
}
