import type { Command } from '@commander-js/extra-typings';
import { isQuireError, type QuireError } from '@quire/core';
import type { Environment } from '../environment.ts';
import { abortOnInterrupt } from '../interrupt.ts';
import { createClient, withServerOptions } from '../server-options.ts';

/** Adds `quire results delete`. */
export function addResultsDeleteCommand(results: Command, environment: Environment): void {
  withServerOptions(results.command('delete'))
    .summary('delete results')
    .description('Delete results. One that cannot be deleted is reported, and the rest go on.')
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
          if (!isQuireError(error) || !concernsOneResult(error)) throw error;
          failures.push(error);
        }
      }
      if (failures.length > 0) throw new AggregateError(failures);
    });
}

/** With any other error the remaining results would fare no better. */
function concernsOneResult(error: QuireError): boolean {
  return error.kind === 'missing' || error.kind === 'invalid';
}
