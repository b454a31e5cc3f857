import type { Command } from '@commander-js/extra-typings';
import type { Environment } from '../environment.ts';
import { addTablesPreviewCommand } from './tables-preview.ts';

/** Adds `quire tables` and what can be done with tables. */
export function addTablesCommand(program: Command, environment: Environment): void {
  const tables = program.command('tables').summary('preview a table before it is made');
  tables.description('Look at what a table would hold before it is made. Needs no server.');
  addTablesPreviewCommand(tables, environment);
}
