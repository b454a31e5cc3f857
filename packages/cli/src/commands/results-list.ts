import type { Command } from '@commander-js/extra-typings';
import type { StoredResult } from '@quire/client';
import { formatBytes } from '@quire/core';
import type { Environment } from '../environment.ts';
import { abortOnInterrupt } from '../interrupt.ts';
import { tabbedRow } from '../row-lines.ts';
import { createClient, withServerOptions } from '../server-options.ts';
import { stylesFor } from '../styles.ts';
import { formatTimeLeft, grouped, isoTime } from '../phrases.ts';
import { layOutTable } from '../table/text-table.ts';

const columns = [
  { name: 'id', dataType: 'STRING', isWhole: true },
  { name: 'rows', dataType: 'LONG' },
  { name: 'size', dataType: 'LONG' },
  { name: 'submitted', dataType: 'STRING' },
  { name: 'expires in', dataType: 'STRING' },
];

/** Adds `quire results list`. */
export function addResultsListCommand(results: Command, environment: Environment): void {
  withServerOptions(results.command('list'))
    .summary('list all stored results, newest first (admins)')
    .description(
      'List all stored results, newest first; for admins. In a pipe: lines of id, rows, bytes, submission and expiration time, with tabs between.',
    )
    .option('--json', 'one JSON object per line')
    .action(async (options) => {
      using interrupt = abortOnInterrupt(environment);
      const { stdout } = environment;
      const entries = await createClient(options, environment).list({ signal: interrupt.signal });
      if (options.json === true) {
        await stdout.write(entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''));
      } else if (stdout.isTerminal) await stdout.write(renderList(entries, environment));
      else await stdout.write(entries.map((entry) => tabbedRow(plainCells(entry))).join(''));
    });
}

function renderList(
  entries: readonly StoredResult[],
  { stdout, variables, clock }: Environment,
): string {
  const styles = stylesFor(stdout, variables);
  if (entries.length === 0) return `${styles.faint('no stored results')}\n`;
  const nowMs = clock.nowMs();
  const rows = entries.map((entry) => [
    entry.requestId,
    grouped(entry.rowCount),
    formatBytes(entry.sizeBytes),
    isoTime(entry.submissionTimeMs),
    formatTimeLeft(entry.expirationTimeMs - nowMs),
  ]);
  const table = layOutTable(columns, rows, { widthMax: stdout.size.columns, styles });
  return [...table.header, ...table.lines, ''].join('\n');
}

function plainCells(entry: StoredResult): readonly (string | number)[] {
  return [
    entry.requestId,
    entry.rowCount,
    entry.sizeBytes,
    isoTime(entry.submissionTimeMs),
    isoTime(entry.expirationTimeMs),
  ];
}
