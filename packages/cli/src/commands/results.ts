import type { Command } from '@commander-js/extra-typings';
import type { Environment } from '../environment.ts';
import { addResultsDeleteCommand } from './results-delete.ts';
import { addResultsDownloadCommand } from './results-download.ts';
import { addResultsListCommand } from './results-list.ts';
import { addResultsRenewCommand } from './results-renew.ts';
import { addResultsUsageCommand } from './results-usage.ts';
import { addResultsShowCommand } from './results-show.ts';

/** Adds `quire results` and what can be done with results. */
export function addResultsCommand(program: Command, environment: Environment): void {
  const results = program.command('results').summary('list, show, download, delete, renew and measure stored results');
  results.description('Look at the results that a server has stored, and manage them.');
  addResultsListCommand(results, environment);
  addResultsShowCommand(results, environment);
  addResultsDownloadCommand(results, environment);
  addResultsDeleteCommand(results, environment);
  addResultsRenewCommand(results, environment);
  addResultsUsageCommand(results, environment);
}
