import { openAsBlob } from 'node:fs';
import { access, constants } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import type { Command } from '@commander-js/extra-typings';
import { QuireError } from '@quire/core';
import { parseTableName } from '@quire/core/table-engine';
import type { Environment } from '../environment.ts';
import { abortOnInterrupt } from '../interrupt.ts';
import { collectPair } from '../pair-option.ts';
import { grouped } from '../phrases.ts';
import { showProgress } from '../progress.ts';
import { createAdminClient, withControllerOptions } from '../server-options.ts';

const examples = `
Files are sent to the server. URIs of objects in a bucket, with or without wildcards, are read by the server if its settings allow it.
Each file is loaded as a whole or not at all. The command stops at the first failure; files that were loaded before are kept.

Examples:
  $ quire tables ingest stocks stocks.csv
  $ quire tables ingest stocks stocks.txt --format csv --batch 'recordReader.prop.delimiter=;'`;

/** Adds `quire tables ingest`. */
export function addTablesIngestCommand(tables: Command, environment: Environment): void {
  withControllerOptions(tables.command('ingest'))
    .summary('load files into a table')
    .description('Load files into the offline half of a table, each into a segment of its own.')
    .argument('<table>', 'name of the table')
    .argument('<file...>', 'files, or addresses that the server reads')
    .option(
      '--format <format>',
      'format of the files, if their names do not show it: csv, json, parquet, arrow, avro',
    )
    .option(
      '--batch <key=value>',
      'another member of the batch config; may be given several times',
      collectPair,
    )
    .option('--json', 'one JSON object per file')
    .addHelpText('after', examples)
    .action(async (table, files, options) => {
      using interrupt = abortOnInterrupt(environment);
      const client = createAdminClient(options, environment);
      const name = parseTableName(table).type === undefined ? `${table}_OFFLINE` : table;
      const batchConfig = {
        ...options.batch,
        ...(options.format !== undefined && { inputFormat: options.format }),
      };
      const call = {
        signal: interrupt.signal,
        batchConfig: Object.keys(batchConfig).length === 0 ? undefined : batchConfig,
      };
      for (const file of files) {
        const ingested = await (async () => {
          await using _progress = showProgress(environment, `loading ${file}`);
          if (/^[a-z][a-z0-9+.-]+:\/\//i.test(file)) {
            return await client.ingestUri(name, file, call);
          }
          return await client.ingestFile(
            name,
            { name: basename(file), content: await openFile(file, environment) },
            call,
          );
        })();
        const { rowCount, segmentNames } = ingested;
        const rows = `${grouped(rowCount)} ${rowCount === 1 ? 'row' : 'rows'}`;
        await environment.stdout.write(
          options.json === true
            ? `${JSON.stringify({ file, ...ingested })}\n`
            : `${file}: ${rows}${segmentNames.map((each) => `, ${each}`).join('')}\n`,
        );
      }
    });
}

/** Opens the file as a blob that is read while it is sent. @throws INVALID_PARAMETER */
async function openFile(path: string, { directory }: Environment): Promise<Blob> {
  try {
    await access(resolve(directory, path), constants.R_OK); // reports why it cannot be read, unlike openAsBlob
    return await openAsBlob(resolve(directory, path));
  } catch (cause) {
    const reason = cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause);
    throw new QuireError('INVALID_PARAMETER', `${path} cannot be read: ${reason}.`, { cause });
  }
}
