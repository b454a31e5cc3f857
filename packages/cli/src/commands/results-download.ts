import { resolve } from 'node:path';
import { type Command, Option } from '@commander-js/extra-typings';
import { formatBytes } from '@quire/core';
import { pageFormatNames } from '@quire/core/wire';
import type { Environment } from '../environment.ts';
import { abortOnInterrupt } from '../interrupt.ts';
import { formatProblem, formulasOption } from '../query/format-options.ts';
import { integerFrom } from '../number-option.ts';
import { grouped } from '../phrases.ts';
import { downloadToFile, downloadToOutput } from '../query/download-result.ts';
import { createClient, withServerOptions } from '../server-options.ts';

const examples = `
Until it is whole, what has come is in FILE.part, and how far that is in FILE.part.json. JSON is one array of objects,
Arrow the IPC stream format, with plain buffers whatever is stored, Parquet a file that any reader of Parquet reads.

Examples:
  $ quire results download 0190163d-8694-739b-aea5-966c26f8ad91 -o flights.csv
  $ quire results download 0190163d-8694-739b-aea5-966c26f8ad91 -o flights.csv --resume
  $ quire results download 0190163d-8694-739b-aea5-966c26f8ad91 --format ndjson | jq .origin`;

/** Adds `quire results download`. */
export function addResultsDownloadCommand(results: Command, environment: Environment): void {
  withServerOptions(results.command('download'))
    .summary('download a whole result')
    .description(
      'Download a whole result, page by page; one that broke off goes on where it stopped with --resume.',
    )
    .argument('<id>', 'id of the result')
    .addOption(
      new Option('-f, --format <format>', 'how to write rows')
        .choices(pageFormatNames)
        .default('csv' as const),
    )
    .addOption(formulasOption())
    .option('-o, --output <file>', 'where to write; standard output when absent')
    .option(
      '--resume',
      'go on with a download into the same file that broke off; begins one when there is none',
    )
    .option(
      '--page-size <count>',
      'rows per request; as many as come to 4 MiB when absent',
      integerFrom(1),
    )
    .addHelpText('after', examples)
    .action(async (id, options, command) => {
      const { format, formulas, output, pageSize } = options;
      const toTerminal = output === undefined && environment.stdout.isTerminal;
      const problem = formatProblem(format, formulas, toTerminal);
      if (problem !== undefined) command.error(problem);
      if (output === undefined && options.resume === true) {
        command.error('error: --resume needs a file: give --output');
      }
      using interrupt = abortOnInterrupt(environment);
      const { signal } = interrupt;
      const cursor = await createClient(options, environment).open(id, { rowCount: 1, signal });
      const request = { cursor, format, formulas, pageSize, signal };
      if (output === undefined) return await downloadToOutput(environment, request);
      const path = resolve(environment.directory, output);
      const { totalRowCount, sizeBytes } = await downloadToFile(
        environment,
        request,
        path,
        options.resume === true,
      );
      await environment.stdout.write(
        `${output}: ${grouped(totalRowCount)} rows, ${formatBytes(sizeBytes)}\n`,
      );
    });
}
