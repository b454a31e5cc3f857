import { type Clock, isQuireError, QuireError, type Random } from '@quire/core';
import type { Ingested, IngestRequest, TableSchemaDocument } from '@quire/core/table-engine';
import { traced } from '@quire/core/trace';
import {
  assertBatchMembers,
  type FileFinder,
  openFileRows,
  parseTableConfig,
  type SourceFile,
} from '@quire/tables';
import { spoolUpload } from './directory/spool-upload.ts';
import { fillFile } from './segments/fill-segment.ts';
import { RowFileWriter } from './segments/row-file-writer.ts';
import { shapeOf } from './segments/table-columns.ts';
import type { ServedTable } from './served-table.ts';

export interface IngestOptions {
  readonly table: ServedTable;
  readonly schema: TableSchemaDocument;
  readonly clock: Clock;
  readonly random: Random;
  readonly finder: FileFinder | undefined;
  readonly uploadDirectory: string | undefined;
  readonly rowBytesMax: number;
  readonly signal: AbortSignal;
}

/**
 * Creates one segment from the rows of a file, or of all files that match a pattern. If the table's
 * config has REFRESH, it replaces all other segments.
 *
 * @throws INGESTION_FAILED when a file or a row cannot be ingested; INVALID_PARAMETER when an
 *   option is unknown; nothing has changed then
 */
export async function ingestFiles(
  request: IngestRequest,
  options: IngestOptions,
): Promise<Ingested> {
  const { source, batchConfig } = request;
  assertBatchMembers(batchConfig, 'batchConfig');
  const { finder, random, signal, table, uploadDirectory } = options;
  const ingest = (files: readonly SourceFile[]): Promise<Ingested> =>
    traced(
      'ingest',
      async (span) => {
        const ingested = await makeSegment(files, request, options);
        span?.set({ 'quire.rows': ingested.rowCount });
        return ingested;
      },
      { attributes: { 'db.collection.name': table.name, 'quire.files': files.length } },
    );
  if (source.kind === 'uri') return ingest(await findFiles(source.uri, finder, signal));
  await using upload = await traced('ingest.receive', () =>
    spoolUpload(source.name, source.body, { directory: uploadDirectory, random, signal }),
  );
  return await ingest([upload.file]);
}

async function findFiles(
  uri: string,
  finder: FileFinder | undefined,
  signal: AbortSignal,
): Promise<readonly SourceFile[]> {
  if (finder === undefined) {
    throw new QuireError(
      'INGESTION_FAILED',
      'No files may be read by their URI: the settings allow no locations.',
    );
  }
  const { files, problem } = await finder.find(uri, signal);
  if (problem !== undefined) throw new QuireError('INGESTION_FAILED', problem.message);
  if (files.length === 0) {
    throw new QuireError('INGESTION_FAILED', `No file matches ${uri.slice(0, 200)}.`);
  }
  return files;
}

async function makeSegment(
  files: readonly SourceFile[],
  request: IngestRequest,
  options: IngestOptions,
): Promise<Ingested> {
  const { table, schema, clock, rowBytesMax, signal } = options;
  const { config } = table.record;
  const createdMs = clock.nowMs();
  const segmentName = `${table.name}_${createdMs}_${Buffer.from(options.random.bytes(4)).toString('hex')}`;
  using _announced = await table.announce(segmentName);
  using slot = table.newFile(segmentName);
  await using writer = await RowFileWriter.create(slot.path, slot.file, shapeOf(config, schema));
  for (const source of files) {
    const rows = openFileRows(source, { batchConfig: request.batchConfig, rowBytesMax, signal });
    try {
      await fillFile(rows, writer, { config, schema, clock, signal });
    } catch (error) {
      if (
        !isQuireError(error) ||
        error.code !== 'INGESTION_FAILED' ||
        error.message.includes(source.uri)
      ) {
        throw error;
      }
      throw new QuireError('INGESTION_FAILED', `${source.uri}: ${error.message}`, { cause: error });
    }
  }
  const written = await writer.finish();
  if (written.rowCount === 0) {
    await table.removeFile(slot.file);
    return { segmentNames: [], rowCount: 0, findings: [] };
  }
  const custom = {
    sources: files
      .map(({ uri }) => uri)
      .join(' ')
      .slice(0, 1_000),
  };
  const segment = {
    ...written,
    segmentName,
    createdMs,
    committedMs: clock.nowMs(),
    stream: null,
    custom,
  };
  const { ingestionConfig, segmentsConfig } = parseTableConfig(config).config;
  const pushType =
    ingestionConfig?.batchIngestionConfig?.segmentIngestionType ??
    segmentsConfig?.segmentPushType ??
    'APPEND';
  const isRefresh = pushType.toUpperCase() === 'REFRESH';
  await table.segments.change(({ segments }) => ({
    remove: isRefresh ? segments.map((each) => each.segmentName) : [],
    reason: `replaced by ${segmentName}`,
    add: [segment],
  }));
  return { segmentNames: [segmentName], rowCount: written.rowCount, findings: [] };
}
