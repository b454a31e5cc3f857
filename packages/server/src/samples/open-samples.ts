import { type Clock, type ErrorCode, isQuireError } from '@quire/core';
import type { TableEngine } from '@quire/core/table-engine';
import type { Logger } from 'pino';
import { Feed } from './feed.ts';
import { type FeedDocument, readSamples, type SampleDocuments } from './sample-documents.ts';

/** The samples of a server, for display to its operator. */
export interface RunningSamples {
  /** A growing table, and its column with the time of each row. */
  readonly growing: { readonly tableName: string; readonly timeColumn: string } | undefined;
  /** A task that created rows from files. */
  readonly taskName: string | undefined;
}

export interface SampleContext {
  readonly engine: TableEngine;
  /** The directory of file streams. */
  readonly streams: string | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Creates the missing tables of a directory of samples, runs their tasks once, and feeds their
 * topics until it is disposed. A table server has exclusive use of its directory, so that only one
 * process feeds them.
 *
 * @throws INVALID_SETTING when a document cannot be used
 */
export async function openSamples(
  directory: string,
  context: SampleContext,
): Promise<AsyncDisposable & { readonly running: RunningSamples }> {
  const documents = await readSamples(directory);
  const feeds: Feed[] = [];
  const close = async (): Promise<void> => {
    await Promise.all(feeds.map((feed) => feed[Symbol.asyncDispose]()));
  };
  try {
    for (const document of documents.feeds) feeds.push(...(await openFeed(document, context)));
    const [taskName] = await makeTables(documents, context);
    const [feed] = documents.feeds;
    const growing =
      feed === undefined ? undefined : { tableName: feed.tableName, timeColumn: feed.timeField };
    return { running: { growing, taskName }, [Symbol.asyncDispose]: close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function openFeed(
  document: FeedDocument,
  { streams, clock, logger }: SampleContext,
): Promise<readonly Feed[]> {
  const { topic } = document;
  if (streams === undefined) {
    logger.warn({ topic }, 'sample has no feed: engine.stream.file.dir is not set');
    return [];
  }
  const onFailed = (error: unknown): void =>
    logger.warn({ topic, err: error }, 'sample could not be fed, will be retried');
  return [await Feed.open(document, { streams, clock, onFailed })];
}

/** Creates the tables, and returns the names of the tasks. */
async function makeTables(
  { schemas, tables, tasks }: SampleDocuments,
  { engine, logger }: SampleContext,
): Promise<readonly string[]> {
  const made = new Set<string>();
  for (const schema of schemas) {
    await unlessThere('SCHEMA_EXISTS', () => engine.createSchema(schema));
  }
  for (const table of tables) {
    const created = await unlessThere('TABLE_EXISTS', () => engine.createTable(table));
    if (created !== undefined) made.add(created.tableNameWithType);
  }
  const names: string[] = [];
  for (const task of tasks) {
    try {
      const known = await unlessThere('TASK_EXISTS', () => engine.executeTask(task));
      // The table was deleted since the task ran: it runs again under another name.
      const again = known === undefined && made.has(task.tableNameWithType);
      const record = again ? await engine.executeTask({ ...task, taskName: undefined }) : known;
      names.push(record?.taskName ?? task.taskName ?? '');
    } catch (error) {
      if (!isQuireError(error)) throw error;
      logger.warn({ task: task.taskName, err: error }, 'sample task was not created');
    }
  }
  return names;
}

/**
 * Creates an object, and returns it. Returns undefined if it exists already or its record is
 * damaged, because neither prevents the start.
 */
async function unlessThere<Created>(
  code: ErrorCode,
  make: () => Promise<Created>,
): Promise<Created | undefined> {
  try {
    return await make();
  } catch (error) {
    if (isQuireError(error, code, 'TABLE_DAMAGED', 'RECORD_DAMAGED')) return undefined;
    throw error;
  }
}
