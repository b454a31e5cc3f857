import type { Command } from '@commander-js/extra-typings';
import type { Environment } from '../environment.ts';
import { abortOnInterrupt } from '../interrupt.ts';
import { createAdminClient, withControllerOptions } from '../server-options.ts';
import { addTablesConsumptionCommands } from './tables-consumption.ts';
import { addTablesCreateCommand } from './tables-create.ts';
import { addTablesIngestCommand } from './tables-ingest.ts';
import { addTablesListCommand } from './tables-list.ts';
import { addTablesPreviewCommand } from './tables-preview.ts';
import { addTablesRestreamCommand } from './tables-restream.ts';
import { addTablesShowCommand } from './tables-show.ts';

/** Adds `quire tables` and its subcommands. */
export function addTablesCommand(program: Command, environment: Environment): void {
  const tables = program
    .command('tables')
    .summary('preview, create, load, pause, rebuild and delete tables');
  tables.description(
    'Preview a table before it is created, which needs no server, and manage the tables of a controller.',
  );
  addTablesPreviewCommand(tables, environment);
  addTablesListCommand(tables, environment);
  addTablesShowCommand(tables, environment);
  addTablesCreateCommand(tables, environment);
  addTablesDeleteCommand(tables, environment);
  addTablesIngestCommand(tables, environment);
  addTablesConsumptionCommands(tables, environment);
  addTablesRestreamCommand(tables, environment);
}

/** Adds `quire tables delete`. */
function addTablesDeleteCommand(tables: Command, environment: Environment): void {
  withControllerOptions(tables.command('delete'))
    .summary('delete a table and its rows')
    .description(
      'Delete a table and its rows, but not its schema: both halves, or one half if the name ends in _OFFLINE or _REALTIME.',
    )
    .argument('<table>', 'name of the table')
    .action(async (table, options) => {
      using interrupt = abortOnInterrupt(environment);
      await environment.stdout.write(
        `${await createAdminClient(options, environment).deleteTable(table, interrupt)}.\n`,
      );
    });
}
