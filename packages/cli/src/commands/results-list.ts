import type { Command } from '@commander-js/extra-typings';
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

/** Adds `quire results list`. */
export function addResultsListCommand(results: Command, environment: Environment): void {
  withListOptions(withServerOptions(results.command('list')))
    .summary('list all stored results, newest first (admins)')
    .description(
      'List all stored results, newest first; for admins. In a pipe: lines of id, rows, bytes, submission and expiration time, with tabs between.',
    )
    .action(async (options) => {
      using interrupt = abortOnInterrupt(environment);
      const items = await createClient(options, environment).list({ signal: interrupt.signal });
      const nowMs = environment.clock.nowMs();
      await writeRecords(
        {
          columns,
          plainNames: ['id', 'rows', 'bytes', 'submitted', 'expires'],
          items,
          shown: (entry) => [
            entry.requestId,
            grouped(entry.rowCount),
            formatBytes(entry.sizeBytes),
            isoTime(entry.submissionTimeMs),
            formatTimeLeft(entry.expirationTimeMs - nowMs),
          ],
          plain: (entry) => [
            entry.requestId,
            entry.rowCount,
            entry.sizeBytes,
            isoTime(entry.submissionTimeMs),
            isoTime(entry.expirationTimeMs),
          ],
          emptyText: 'no stored results',
        },
        options,
        environment,
      );
    });
}
