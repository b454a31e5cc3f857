import type { Command } from '@commander-js/extra-typings';
import type { JsonObject, JsonValue } from '@quire/client';
import type { Environment } from '../environment.ts';
import { abortOnInterrupt } from '../interrupt.ts';
import { createClient, withServerOptions } from '../server-options.ts';
import { stylesFor } from '../styles.ts';
import { cellContent, cellText } from '../table/cell-text.ts';

/** Adds `quire results show`. */
export function addResultsShowCommand(results: Command, environment: Environment): void {
  withServerOptions(results.command('show'))
    .summary('show what is known of a result and its query')
    .description(
      'Show the metadata record of a result and its query. Members that are 0, false or empty are left out, except with --json.',
    )
    .argument('<id>', 'id of the result')
    .option('--json', 'the whole record as one line of JSON')
    .action(async (id, options) => {
      using interrupt = abortOnInterrupt(environment);
      const record = await createClient(options, environment).metadata(id, { signal: interrupt.signal });
      const { stdout } = environment;
      await stdout.write(options.json === true ? `${cellContent(record)}\n` : renderRecord(record, environment));
    });
}

function renderRecord(record: JsonObject, { stdout, variables }: Environment): string {
  const { faint } = stylesFor(stdout, variables);
  const members = Object.entries(record).filter(([, value]) => !isVoid(value));
  const nameWidth = Math.max(...members.map(([name]) => name.length));
  const lines = members.map(([name, value]) =>
    stdout.isTerminal ? `${faint(name.padEnd(nameWidth))}  ${cellText(value)}` : `${name}\t${cellText(value)}`,
  );
  return lines.map((line) => `${line}\n`).join('');
}

function isVoid(value: JsonValue): boolean {
  if (typeof value === 'object' && value !== null) return Object.keys(value).length === 0;
  return value === null || value === 0 || value === false || value === '';
}
