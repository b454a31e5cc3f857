import type { Command } from '@commander-js/extra-typings';
import type { JsonObject, JsonValue } from '@quire/client';
import { isQuireError, type QuireError } from '@quire/core';
import type { Environment } from '../environment.ts';
import { abortOnInterrupt } from '../interrupt.ts';
import { createClient, withServerOptions } from '../server-options.ts';
import { readSettings, withSettingsOptions } from '../settings-options.ts';
import { stylesFor } from '../styles.ts';
import { cellContent, cellText } from '../table/cell-text.ts';
import { addResultsDownloadCommand } from './results-download.ts';
import { addResultsListCommand } from './results-list.ts';
import { formatTimeLeft, isoTime } from '../phrases.ts';

/** Adds `quire results` and its subcommands. */
export function addResultsCommand(program: Command, environment: Environment): void {
  const results = program
    .command('results')
    .summary('list, show, download, delete, renew and measure stored results');
  results.description('Show and manage the results that a server has stored.');
  addResultsListCommand(results, environment);
  addResultsShowCommand(results, environment);
  addResultsDownloadCommand(results, environment);
  addResultsDeleteCommand(results, environment);
  addResultsRenewCommand(results, environment);
  addResultsUsageCommand(results, environment);
}

/** Adds `quire results show`. */
function addResultsShowCommand(results: Command, environment: Environment): void {
  withServerOptions(results.command('show'))
    .summary('show the metadata of a result and its query')
    .description(
      'Show the metadata record of a result and its query. Members that are 0, false or empty are left out, except with --json.',
    )
    .argument('<id>', 'id of the result')
    .option('--json', 'the whole record as one line of JSON')
    .action(async (id, options) => {
      using interrupt = abortOnInterrupt(environment);
      const record = await createClient(options, environment).metadata(id, {
        signal: interrupt.signal,
      });
      const { stdout } = environment;
      await stdout.write(
        options.json === true ? `${cellContent(record)}\n` : renderRecord(record, environment),
      );
    });
}

function renderRecord(record: JsonObject, { stdout, variables }: Environment): string {
  const { faint } = stylesFor(stdout, variables);
  const members = Object.entries(record).filter(([, value]) => !isVoid(value));
  const nameWidth = Math.max(...members.map(([name]) => name.length));
  const lines = members.map(([name, value]) =>
    stdout.isTerminal
      ? `${faint(name.padEnd(nameWidth))}  ${cellText(value)}`
      : `${name}\t${cellText(value)}`,
  );
  return lines.map((line) => `${line}\n`).join('');
}

function isVoid(value: JsonValue): boolean {
  if (typeof value === 'object' && value !== null) return Object.keys(value).length === 0;
  return value === null || value === 0 || value === false || value === '';
}

/** Adds `quire results delete`. */
function addResultsDeleteCommand(results: Command, environment: Environment): void {
  withServerOptions(results.command('delete'))
    .summary('delete results')
    .description(
      'Delete results. Those that cannot be deleted are reported, and the others are deleted.',
    )
    .argument('<id...>', 'ids of the results')
    .action(async (ids, options) => {
      using interrupt = abortOnInterrupt(environment);
      const client = createClient(options, environment);
      const failures: QuireError[] = [];
      for (const id of ids) {
        try {
          await client.delete(id, { signal: interrupt.signal });
          await environment.stdout.write(`Deleted ${id}.\n`);
        } catch (error) {
          if (!isQuireError(error) || !concernsOneResult(error)) {
            throw failures.length === 0 ? error : new AggregateError([...failures, error]);
          }
          failures.push(error);
        }
      }
      if (failures.length > 0) throw new AggregateError(failures);
    });
}

/** Other errors would occur for the remaining results as well. */
function concernsOneResult(error: QuireError): boolean {
  return error.kind === 'missing' || error.kind === 'invalid';
}

/** Adds `quire results renew`. */
function addResultsRenewCommand(results: Command, environment: Environment): void {
  withServerOptions(results.command('renew'))
    .summary('keep a result for longer')
    .description('Keep a result for a duration from now, at most as long as the server allows.')
    .argument('<id>', 'id of the result')
    .argument('<duration>', 'such as 30m, 2h or 1d12h')
    .option('--json', "the result's entry as one line of JSON")
    .action(async (id, duration, options) => {
      using interrupt = abortOnInterrupt(environment);
      const entry = await createClient(options, environment).renew(id, duration, {
        signal: interrupt.signal,
      });
      const timeLeft = formatTimeLeft(entry.expirationTimeMs - environment.clock.nowMs());
      const sentence = `Result ${entry.requestId} expires in ${timeLeft}, at ${isoTime(entry.expirationTimeMs)}.`;
      await environment.stdout.write(
        options.json === true ? `${JSON.stringify(entry)}\n` : `${sentence}\n`,
      );
    });
}

/** Adds `quire results usage`. */
function addResultsUsageCommand(results: Command, environment: Environment): void {
  withSettingsOptions(results.command('usage'))
    .summary('show usage against the quota, by owner and age, and what a sweep would delete')
    .description(
      'Read the store that the settings name, without a server: show the usage of each broker against its quota, the owners and ages of ' +
        'results, and what a sweep would delete now. Deletes nothing.',
    )
    .option('--json', 'all of it as one line of JSON')
    .action(async (options) => {
      const { createLogger } = await import('../create-logger.ts');
      const { cleanerSettingsOf, measureUsage, openSharedStore, ownerNamesOf } =
        await import('@quire/server/cleaner');
      const { describeUsage } = await import('../cleaner/describe-usage.ts');
      const { stdout, clock, variables } = environment;
      const { settings } = await readSettings(options, environment);
      const logger = createLogger(settings.observability, environment);
      const { store: opened } = await openSharedStore(settings, environment, logger);
      await using store = opened;
      const nameOf = ownerNamesOf(settings);
      const usage = await measureUsage(store, cleanerSettingsOf(settings), { clock, nameOf });
      const widthMax = stdout.isTerminal ? stdout.size.columns : Number.POSITIVE_INFINITY;
      const isJson = options.json === true;
      await stdout.write(
        isJson
          ? `${JSON.stringify(usage)}\n`
          : describeUsage(usage, { styles: stylesFor(stdout, variables), widthMax, nameOf }),
      );
    });
}
