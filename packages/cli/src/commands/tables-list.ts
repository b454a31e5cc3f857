import type { Command } from '@commander-js/extra-typings';
import { formatBytes } from '@quire/core';
import type { Environment } from '../environment.ts';
import { abortOnInterrupt } from '../interrupt.ts';
import { grouped } from '../phrases.ts';
import { createAdminClient, withControllerOptions } from '../server-options.ts';
import { type HalfSize, withFileSizes } from '../tables/half-sizes.ts';
import { withListOptions, writeRecords } from '../write-records.ts';

const columns = [
  { name: 'table', dataType: 'STRING', isWhole: true },
  { name: 'rows', dataType: 'LONG' },
  { name: 'segments', dataType: 'LONG' },
  { name: 'size', dataType: 'LONG' },
];

/** Adds `quire tables list`. */
export function addTablesListCommand(tables: Command, environment: Environment): void {
  withListOptions(withControllerOptions(tables.command('list')))
    .summary('list the tables of a controller, with their sizes')
    .description(
      'List the tables of a controller, with a line for each half. In a pipe: lines of table, rows, segments and bytes, separated by tabs. A table over files of the settings shows files instead of segments; its rows were counted when the broker started.',
    )
    .action(async (options) => {
      using interrupt = abortOnInterrupt(environment);
      const client = createAdminClient(options, environment);
      const sizes: HalfSize[] = [];
      const files = new Map(
        (await client.listFileTables(interrupt)).map((table) => [table.tableName, table]),
      );
      for (const name of await client.listTables(interrupt)) {
        const halves = await client.readTableSizes(name, interrupt);
        sizes.push(...withFileSizes(halves, files.get(name)));
      }
      await writeRecords(
        {
          columns,
          plainNames: ['table', 'rows', 'segments', 'bytes'],
          items: sizes,
          shown: (size) => [
            size.tableNameWithType,
            size.rowCount === undefined ? null : grouped(size.rowCount),
            grouped(size.fileCount ?? size.segmentCount),
            formatBytes(size.sizeBytes),
          ],
          plain: (size) => [
            size.tableNameWithType,
            size.rowCount ?? null,
            size.fileCount ?? size.segmentCount,
            size.sizeBytes,
          ],
          emptyText: 'no tables',
        },
        options,
        environment,
      );
    });
}
