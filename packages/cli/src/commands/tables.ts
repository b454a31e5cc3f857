import type { Command } from '@commander-js/extra-typings';
import type { Environment } from '../environment.ts';
import { addTablesConsumptionCommands } from './tables-consumption.ts';
import { addTablesCreateCommand } from './tables-create.ts';
import { addTablesDeleteCommand } from './tables-delete.ts';
import { addTablesIngestCommand } from './tables-ingest.ts';
import { addTablesListCommand } from './tables-list.ts';
import { addTablesPreviewCommand } from './tables-preview.ts';
import { addTablesRestreamCommand } from './tables-restream.ts';
import { addTablesShowCommand } from './tables-show.ts';

/** Adds `quire tables` and what can be done with tables. */
export function addTablesCommand(program: Command, environment: Environment): void {
  const tables = program.command('tables').summary('preview, make, fill, pause, rebuild and delete tables');
  tables.description('Preview a table before it is made, which needs no server; and look after the tables of a controller.');
  addTablesPreviewCommand(tables, environment);
  addTablesListCommand(tables, environment);
  addTablesShowCommand(tables, environment);
  addTablesCreateCommand(tables, environment);
  addTablesDeleteCommand(tables, environment);
  addTablesIngestCommand(tables, environment);
  addTablesConsumptionCommands(tables, environment);
  addTablesRestreamCommand(tables, environment);
}
