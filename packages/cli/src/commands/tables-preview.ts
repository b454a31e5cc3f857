import type { Command } from '@commander-js/extra-typings';
import { bucketSchemes } from '@quire/settings/store-backends';
import type { Environment } from '../environment.ts';
import { integerFrom } from '../number-option.ts';
import { collectPair } from '../pair-option.ts';

const uris = bucketSchemes.map((scheme) => `${scheme}://`).join(', ');

const examples = `
Files are CSV, JSON, JSON lines, Parquet, Arrow or Avro, text also compressed by gzip or zstd: paths, patterns in quotes, and URIs (${uris}).
In a pipe, the rows are written as the table would store them, tab-separated, and findings go to standard error.

Examples:
  $ quire tables preview stocks.csv
  $ quire tables preview 'logs/**/*.json.gz' --rows 1000
  $ quire tables preview stocks.txt --format csv --batch 'recordReader.prop.delimiter=;'
  $ quire tables preview stocks.csv --write                                  # stocks.table.json, stocks.schema.json
  $ quire tables preview stocks.csv --config stocks.table.json --schema stocks.schema.json`;

/** Adds `quire tables preview`. */
export function addTablesPreviewCommand(tables: Command, environment: Environment): void {
  tables
    .command('preview')
    .summary('preview a table from files')
    .description(
      'Sample rows of files, infer a schema and propose a table config, or take the given ones, run the rows through the ' +
        'ingestion pipeline, and show them before and after, with all findings.',
    )
    .argument('<file...>', `files to sample: paths, patterns, and URIs (${uris})`)
    .option('-c, --config <file>', 'the table config, a JSON file; proposed when absent')
    .option('-s, --schema <file>', 'the schema, a JSON file; inferred when absent')
    .option('--format <format>', 'format of the files, if their names do not show it')
    .option(
      '--batch <key=value>',
      'another member of the batch config; may be given several times',
      collectPair,
    )
    .option('-n, --rows <count>', 'sample this many rows at most', integerFrom(1), 100)
    .option('--files <count>', 'read this many of the files at most', integerFrom(1), 10)
    .option('--show <count>', 'show this many rows on a terminal', integerFrom(1), 5)
    .option('--json', 'print the whole preview as JSON, like the response of POST /tables/preview')
    .option(
      '--write',
      'save the config and the schema to the current directory, as <table>.table.json and <table>.schema.json',
    )
    .option('--force', 'with --write: replace existing files')
    .addHelpText('after', examples)
    .action(async (files, options, command) => {
      if (options.force === true && options.write !== true) {
        command.error('error: --force is for --write');
      }
      const { runPreview } = await import('../tables/run-preview.ts');
      await runPreview(files, options, environment);
    });
}
