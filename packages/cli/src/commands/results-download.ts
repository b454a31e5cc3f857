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
Until it is complete, the download is in FILE.part, and its progress in FILE.part.json. JSON is one array of objects,
Arrow the IPC stream format with uncompressed buffers, Parquet a file that any Parquet reader supports.

Examples:
  $ quire results download 0190163d-8694-739b-aea5-966c26f8ad91 -o flights.csv
  $ quire results download 0190163d-8694-739b-aea5-966c26f8ad91 -o flights.csv --resume
  $ quire results download 0190163d-8694-739b-aea5-966c26f8ad91 --format ndjson | jq .origin`;

/** Adds `quire results download`. */
export function addResultsDownloadCommand(results: Command, environment: Environment): void {
  withServerOptions(results.command('download'))
    .summary('download a whole result')
    .description(
      'Download a whole result, page by page. --resume continues an interrupted download.',
    )
    .argument('<id>', 'id of the result')
    .addOption(
      new Option('-f, --format <format>', 'format of the rows')
        .choices(pageFormatNames)
        .default('csv' as const),
    )
    .addOption(formulasOption())
    .option('-o, --output <file>', 'output file; default: standard output')
    .option('--resume', 'continue an interrupted download to the same file, if there is one')
    .option(
      '--page-size <count>',
      'rows per request; default: as many as fit 4 MiB',
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
