import type { Command } from '@commander-js/extra-typings';
import { QuireError } from '@quire/core';
import { bucketSchemes } from '@quire/settings/store-backends';
import { type PreviewResponse, previewTable, writePreview } from '@quire/tables';
import type { Environment } from '../environment.ts';
import { abortOnInterrupt } from '../interrupt.ts';
import { integerFrom } from '../number-option.ts';
import { readJsonFile } from '../read-json-file.ts';
import { tabbedHeader, tabbedRow } from '../row-lines.ts';
import { stylesFor } from '../styles.ts';
import { columnCell, columnsOfPreview } from '../tables/preview-columns.ts';
import { openPreviewFiles } from '../tables/preview-files.ts';
import { renderFindings } from '../tables/render-findings.ts';
import { renderPreview } from '../tables/render-preview.ts';
import { writeProposal } from '../tables/write-proposal.ts';

const uris = bucketSchemes.map((scheme) => `${scheme}://`).join(', ');

const examples = `
Files are CSV, JSON, JSON lines, Parquet, Arrow or Avro, text also compressed by gzip or zstd: paths, patterns in quotes, and URIs (${uris}).
In a pipe, the rows are written as the table would store them, tab-separated, and findings go to standard error.

Examples:
  $ quire tables preview stocks.csv
  $ quire tables preview 'logs/**/*.json.gz' --rows 1000
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
      using interrupt = abortOnInterrupt(environment);
      await using sources = await openPreviewFiles(files, environment);
      const request = {
        sourceFiles: sources.patterns,
        ...(options.config !== undefined && {
          tableConfig: await readJsonFile(options.config, environment),
        }),
        ...(options.schema !== undefined && {
          schema: await readJsonFile(options.schema, environment),
        }),
        config: { sampling: { max: options.rows }, previewFiles: { nfilesToFetch: options.files } },
      };
      const preview = await previewTable(request, {
        clock: environment.clock,
        finder: sources.finder,
        limits: { rowsMax: options.rows, filesMax: options.files },
        signal: interrupt.signal,
      });
      const { stdout, stderr, variables } = environment;
      if (options.json === true) {
        for await (const piece of writePreview(preview)) await stdout.write(piece);
        await stdout.write('\n');
      } else if (stdout.isTerminal) {
        const styles = stylesFor(stdout, variables);
        await stdout.write(
          renderPreview(preview, { styles, widthMax: stdout.size.columns, shownMax: options.show }),
        );
      } else {
        for (const line of previewLines(preview)) await stdout.write(line);
        const layout = { styles: stylesFor(stderr, variables), widthMax: Number.POSITIVE_INFINITY };
        const lines = renderFindings(preview.findings, layout);
        if (lines.length > 0) await stderr.write(`${lines.join('\n')}\n`);
      }
      // If no row could be sampled, nothing was previewed.
      const unread = preview.findings.find(({ path }) => path.startsWith('/sourceFiles'));
      if (preview.sourceRows.length === 0 && unread !== undefined) {
        throw new QuireError('INVALID_PARAMETER', unread.message);
      }
      if (options.write !== true) return;
      const written = await writeProposal(preview, environment.directory, options.force === true);
      await (stdout.isTerminal ? stdout : stderr).write(
        `${written.map((path) => `wrote ${path}`).join('\n')}\n`,
      );
    });
}

/**
 * Yields the rows, as the table would store them, as lines: a line of names, then a line for each
 * row. A missing value is `\N`.
 */
function* previewLines(preview: PreviewResponse): Generator<string> {
  const columns = columnsOfPreview(preview);
  if (columns.length === 0) return;
  yield tabbedHeader(columns);
  for (const row of preview.rows) yield tabbedRow(columns.map((column) => columnCell(row, column)));
}
