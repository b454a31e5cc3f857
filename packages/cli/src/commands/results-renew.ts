import type { Command } from '@commander-js/extra-typings';
import type { Environment } from '../environment.ts';
import { abortOnInterrupt } from '../interrupt.ts';
import { createClient, withServerOptions } from '../server-options.ts';
import { formatTimeLeft, isoTime } from './results-list.ts';

/** Adds `quire results renew`. */
export function addResultsRenewCommand(results: Command, environment: Environment): void {
  withServerOptions(results.command('renew'))
    .summary('keep a result for longer')
    .description('Keep a result for a duration from now, at most as long as the server allows.')
    .argument('<id>', 'id of the result')
    .argument('<duration>', 'such as 30m, 2h or 1d12h')
    .option('--json', "the result's entry as one line of JSON")
    .action(async (id, duration, options) => {
      using interrupt = abortOnInterrupt(environment);
      const entry = await createClient(options, environment).renew(id, duration, { signal: interrupt.signal });
      const timeLeft = formatTimeLeft(entry.expirationTimeMs - environment.clock.nowMs());
      const sentence = `Result ${entry.requestId} expires in ${timeLeft}, at ${isoTime(entry.expirationTimeMs)}.`;
      await environment.stdout.write(options.json === true ? `${JSON.stringify(entry)}\n` : `${sentence}\n`);
    });
}
