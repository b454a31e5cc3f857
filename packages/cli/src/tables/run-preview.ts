import { QuireError } from '@quire/core';
import {
  assertBatchMembers,
  type PreviewResponse,
  previewTable,
  writePreview,
} from '@quire/tables';
import type { Environment } from '../environment.ts';
import { abortOnInterrupt } from '../interrupt.ts';
import { readJsonFile } from '../read-json-file.ts';
import { tabbedHeader, tabbedRow } from '../row-lines.ts';
import { stylesFor } from '../styles.ts';
import { columnCell, columnsOfPreview } from './preview-columns.ts';
import { openPreviewFiles } from './preview-files.ts';
import { renderFindings } from './render-findings.ts';
import { renderPreview } from './render-preview.ts';
import { writeProposal } from './write-proposal.ts';

export interface PreviewOptions {
  /** Paths of the table config and of the schema. */
  readonly config?: string | undefined;
  readonly schema?: string | undefined;
  /** The format of the files, and other members of their batch config. */
  readonly format?: string | undefined;
  readonly batch?: Readonly<Record<string, string>> | undefined;
  /** The limits of sampled rows and of files that are read. */
  readonly rows: number;
  readonly files: number;
  /** The number of rows that a terminal shows. */
  readonly show: number;
  readonly json?: true | undefined;
  readonly write?: true | undefined;
  readonly force?: true | undefined;
}

/** Previews a table from files, and prints and saves what the options request. */
export async function runPreview(
  files: readonly string[],
  options: PreviewOptions,
  environment: Environment,
): Promise<void> {
  const { batch = {}, format } = options;
  assertBatchMembers(batch, '--batch');
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
    batchConfig: { ...batch, ...(format !== undefined && { inputFormat: format }) },
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
  const written = await writeProposal(preview, environment.directory, {
    isForced: options.force === true,
    random: environment.random,
  });
  await (stdout.isTerminal ? stdout : stderr).write(
    `${written.map((path) => `wrote ${path}`).join('\n')}\n`,
  );
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
