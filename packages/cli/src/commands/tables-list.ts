import type { Command } from '@commander-js/extra-typings';
import { formatBytes } from '@quire/core';
import { visibleText } from '@quire/core/portable';
import type { Environment } from '../environment.ts';
import { abortOnInterrupt } from '../interrupt.ts';
import { grouped } from '../phrases.ts';
import { createAdminClient, withControllerOptions } from '../server-options.ts';
import {
  type DamagedHalf,
  type HalfSize,
  readHalves,
  withFileSizes,
} from '../tables/half-sizes.ts';
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
      'List the tables of a controller, with a line for each half. In a pipe: lines of table, rows, segments and bytes, separated by tabs. A table over files of the settings shows files instead of segments; its rows were counted when the broker started. A table that is set aside has no numbers; its problem is written to standard error.',
    )
    .action(async (options) => {
      using interrupt = abortOnInterrupt(environment);
      const client = createAdminClient(options, environment);
      const halves: (HalfSize | DamagedHalf)[] = [];
      const files = new Map(
        (await client.listFileTables(interrupt)).map((table) => [table.tableName, table]),
      );
      for (const name of await client.listTables(interrupt)) {
        for (const half of await readHalves(client, name, interrupt)) {
          halves.push(...('problem' in half ? [half] : withFileSizes([half], files.get(name))));
        }
      }
      await writeRecords(
        {
          columns,
          plainNames: ['table', 'rows', 'segments', 'bytes'],
          items: halves,
          shown: (half) =>
            'problem' in half
              ? [half.tableNameWithType, null, null, null]
              : [
                  half.tableNameWithType,
                  half.rowCount === undefined ? null : grouped(half.rowCount),
                  grouped(half.fileCount ?? half.segmentCount),
                  formatBytes(half.sizeBytes),
                ],
          plain: (half) =>
            'problem' in half
              ? [half.tableNameWithType, null, null, null]
              : [
                  half.tableNameWithType,
                  half.rowCount ?? null,
                  half.fileCount ?? half.segmentCount,
                  half.sizeBytes,
                ],
          emptyText: 'no tables',
        },
        options,
        environment,
      );
      if (options.json === true) return;
      for (const half of halves) {
        if ('problem' in half) await environment.stderr.write(`${visibleText(half.problem)}\n`);
      }
    });
}
