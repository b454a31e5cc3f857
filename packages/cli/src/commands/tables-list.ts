import type { Command } from '@commander-js/extra-typings';
import { formatBytes } from '@quire/core';
import type { TableSize } from '@quire/client';
import type { Environment } from '../environment.ts';
import { abortOnInterrupt } from '../interrupt.ts';
import { grouped } from '../phrases.ts';
import { createAdminClient, withControllerOptions } from '../server-options.ts';
import { withListOptions, writeRecords } from '../write-records.ts';

const columns = [
  { name: 'table', dataType: 'STRING', isWhole: true },
  { name: 'segments', dataType: 'LONG' },
  { name: 'size', dataType: 'LONG' },
];

/** Adds `quire tables list`. */
export function addTablesListCommand(tables: Command, environment: Environment): void {
  withListOptions(withControllerOptions(tables.command('list')))
    .summary('list the tables of a controller, with their sizes')
    .description(
      'List the tables of a controller, each half by itself. In a pipe: lines of table, segments and bytes, with tabs between.',
    )
    .action(async (options) => {
      using interrupt = abortOnInterrupt(environment);
      const client = createAdminClient(options, environment);
      const sizes: TableSize[] = [];
      for (const name of await client.listTables(interrupt)) {
        sizes.push(...(await client.readTableSizes(name, interrupt)));
      }
      await writeRecords(
        {
          columns,
          plainNames: ['table', 'segments', 'bytes'],
          items: sizes,
          shown: (size) => [
            size.tableNameWithType,
            grouped(size.segmentCount),
            formatBytes(size.sizeBytes),
          ],
          plain: (size) => [size.tableNameWithType, size.segmentCount, size.sizeBytes],
          emptyText: 'no tables',
        },
        options,
        environment,
      );
    });
}
