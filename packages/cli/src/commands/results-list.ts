import type { Command } from '@commander-js/extra-typings';
import type { OwnedResult, StoredResult } from '@quire/client';
import { formatBytes } from '@quire/core';
import type { Environment } from '../environment.ts';
import { abortOnInterrupt } from '../interrupt.ts';
import { createClient, withServerOptions } from '../server-options.ts';
import { formatTimeLeft, grouped, isoTime } from '../phrases.ts';
import { withListOptions, writeRecords } from '../write-records.ts';

const columns = [
  { name: 'id', dataType: 'STRING', isWhole: true },
  { name: 'rows', dataType: 'LONG' },
  { name: 'size', dataType: 'LONG' },
  { name: 'submitted', dataType: 'STRING' },
  { name: 'expires in', dataType: 'STRING' },
];

const queryColumn = { name: 'query', dataType: 'STRING' };

function oneLine(sql: string | undefined): string | null {
  return sql === undefined ? null : sql.replaceAll(/\s+/g, ' ').trim();
}

/** Adds `quire results list`. */
export function addResultsListCommand(results: Command, environment: Environment): void {
  withListOptions(withServerOptions(results.command('list')))
    .summary('list stored results, newest first')
    .description(
      'List all stored results, newest first, for admins; with --own those of your queries, for everyone. In a pipe: lines of id, rows, bytes, ' +
        'submission and expiration time, with tabs between; with --own the query follows.',
    )
    .option('--own', 'only the results of your own queries, with their text')
    .action(async (options) => {
      using interrupt = abortOnInterrupt(environment);
      const client = createClient(options, environment);
      const { signal } = interrupt;
      const isOwn = options.own === true;
      const items: readonly (StoredResult & Partial<OwnedResult>)[] = isOwn
        ? await client.listOwn({ signal })
        : await client.list({ signal });
      const nowMs = environment.clock.nowMs();
      await writeRecords(
        {
          columns: isOwn ? [...columns, queryColumn] : columns,
          plainNames: ['id', 'rows', 'bytes', 'submitted', 'expires', ...(isOwn ? ['query'] : [])],
          items,
          shown: (entry) => [
            entry.requestId,
            grouped(entry.rowCount),
            formatBytes(entry.sizeBytes),
            isoTime(entry.submissionTimeMs),
            formatTimeLeft(entry.expirationTimeMs - nowMs),
            ...(isOwn ? [oneLine(entry.sql)] : []),
          ],
          plain: (entry) => [
            entry.requestId,
            entry.rowCount,
            entry.sizeBytes,
            isoTime(entry.submissionTimeMs),
            isoTime(entry.expirationTimeMs),
            ...(isOwn ? [oneLine(entry.sql)] : []),
          ],
          emptyText: 'no stored results',
        },
        options,
        environment,
      );
    });
}
