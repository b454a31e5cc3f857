import { QuireError } from '@quire/core';
import { parseTableName } from '@quire/core/table-engine';
import { parse } from '../answer/parse-json.ts';
import type { AnswerPart } from '../answer/read-answer.ts';
import type { PinotColumn } from '../answer/pinot-column.ts';
import type { Controller } from '../http/controller.ts';
import type { Selection } from './plan-selection.ts';

export interface SegmentSource {
  readonly controller: Controller;
  /** The number of segments that are requested concurrently; rows are in the order of segments. */
  readonly concurrencyMax: number;
  readonly signal: AbortSignal;
  readonly ask: (sql: string) => Promise<AsyncGenerator<AnswerPart>>;
  /** Called after each segment with the share of them that has been read. */
  readonly onProgress?: ((share: number) => void) | undefined;
}

/**
 * Members that are equal in the answers of all segments, or whose largest value counts; the others
 * are summed.
 */
const largestMembers: ReadonlySet<string> = new Set([
  'totalDocs',
  'numServersQueried',
  'numServersResponded',
  // Each answer counts all segments of the table, not only those of its query.
  'numSegmentsQueried',
  'numConsumingSegmentsQueried',
  'numSegmentsPrunedByBroker',
  'numSegmentsPrunedByServer',
  'numSegmentsPrunedInvalid',
  'numSegmentsPrunedByLimit',
  'numSegmentsPrunedByValue',
]);

/** The time up to which rows are included, whose smallest value counts; 0 if an answer has none. */
const freshnessMember = 'minConsumingFreshnessTimeMs';

/** The counts of segments that are summed, each with the count of which it is a part. */
const parts: readonly (readonly [part: string, whole: string])[] = [
  ['numSegmentsProcessed', 'numSegmentsQueried'],
  ['numSegmentsMatched', 'numSegmentsQueried'],
  ['numConsumingSegmentsProcessed', 'numConsumingSegmentsQueried'],
  ['numConsumingSegmentsMatched', 'numConsumingSegmentsQueried'],
];

/**
 * Reads the answer to a selection, segment by segment: neither the broker nor this process buffers
 * the rows of more than one. It covers the segments that existed at its start; rows that a
 * consuming one has received since may be included.
 *
 * @throws TABLE_NOT_FOUND
 * @throws QUERY_FAILED when a segment was deleted in between, as its rows may be missing, or
 * replaced, because its rows may then be newer than the others; when one was added that moves the
 * time at which the halves of a hybrid table meet, as rows of both may then be missing
 */
export async function* readSegments(
  selection: Selection,
  source: SegmentSource,
): AsyncGenerator<AnswerPart> {
  const segments = await listSegments(selection, source);
  const members = new Map<string, unknown>();
  let first: readonly PinotColumn[] | undefined;
  // A table without segments still has columns.
  const names = segments.size === 0 ? [''] : [...segments.keys()].toSorted();
  let readCount = 0;
  for await (const answer of inOrder(
    names.map((segment) => () => source.ask(selection.sqlOf(segment))),
    source.concurrencyMax,
  )) {
    for await (const part of answer) {
      if (part.kind === 'rows') yield part;
      else if (part.kind === 'member') addMember(members, part.name, parse(part.text));
      else if (first === undefined) yield { ...part, columns: (first = part.columns) };
      else assertSame(first, part.columns, selection);
    }
    if (isFailed(members)) break;
    readCount += 1;
    source.onProgress?.(readCount / names.length);
  }
  for (const [part, whole] of parts) {
    const [counted, most] = [members.get(part), members.get(whole)];
    if (typeof counted === 'number' && typeof most === 'number') {
      members.set(part, Math.min(counted, most));
    }
  }
  for (const [name, value] of members) yield { kind: 'member', name, text: JSON.stringify(value) };
  if (isFailed(members)) return;
  assertUnchanged(segments, await listSegments(selection, source), selection);
}

function assertUnchanged(before: Segments, now: Segments, { tableName }: Selection): void {
  const fail = (segment: string, what: string): QuireError =>
    new QuireError(
      'QUERY_FAILED',
      `Segment ${segment} of ${tableName} ${what} while the table was read segment by segment; run the query again.`,
    );
  for (const [segment, { checksum }] of before) {
    const same = now.get(segment);
    if (same === undefined) throw fail(segment, 'was deleted');
    if (same.checksum !== checksum) throw fail(segment, 'was replaced');
  }
  if (!isHybrid(now)) return;
  for (const [segment, { half }] of now) {
    if (before.has(segment) || (half !== 'OFFLINE' && isHybrid(before))) continue;
    throw fail(segment, 'was added');
  }
}

/** True if both halves of the table have segments: Apache Pinot reads each up to a time. */
function isHybrid(segments: Segments): boolean {
  return new Set([...segments.values()].map(({ half }) => half)).size > 1;
}

/**
 * True if rows of the table replace others (upsert): a row that has been read may replace one of a
 * segment that has not, and neither would be in the answer. Such a table is queried as a whole.
 *
 * @throws QUERY_FAILED when the configs of the table cannot be read
 */
export async function hasUpserts(
  { tableName }: Selection,
  { controller, signal }: Pick<SegmentSource, 'controller' | 'signal'>,
): Promise<boolean> {
  const path = `/tables/${encodeURIComponent(parseTableName(tableName).rawName)}`;
  const { status, text } = await controller.call({ method: 'GET', path, signal });
  if (status === 404) return false; // the query of the table reports the problem
  if (status !== 200) {
    throw new QuireError(
      'QUERY_FAILED',
      `The configs of ${tableName} cannot be read: HTTP ${status}.`,
    );
  }
  const halves = Object.values(parse(text) as Readonly<Record<string, TableConfig | undefined>>);
  return halves.some((config) => (config?.upsertConfig?.mode ?? 'NONE') !== 'NONE');
}

interface TableConfig {
  readonly upsertConfig?: { readonly mode?: string } | null;
}

/**
 * Returns the answers in the order of the queries, a limited number of which are sent ahead, so
 * that the cluster processes the next ones while one is read. Answers that are no longer read are
 * closed.
 */
async function* inOrder<Answer extends AsyncGenerator<unknown>>(
  questions: readonly (() => Promise<Answer>)[],
  concurrencyMax: number,
): AsyncGenerator<Answer> {
  const asked: Promise<Answer>[] = [];
  let next = 0;
  const askAhead = (): void => {
    while (asked.length < concurrencyMax && next < questions.length) {
      const answer = questions[next]?.();
      next += 1;
      if (answer === undefined) return;
      answer.catch(() => undefined); // the error is thrown when the answer is read
      asked.push(answer);
    }
  };
  try {
    for (;;) {
      askAhead();
      const [first] = asked;
      if (first === undefined) return;
      yield await first;
      void asked.shift();
    }
  } finally {
    // The signal of the query closes their connections.
    for (const answer of asked) {
      void answer.then(
        (each) => each.return(undefined),
        () => undefined,
      );
    }
  }
}

/** The segments by name, with the cluster's checksums of offline ones. */
type Segments = ReadonlyMap<
  string,
  { readonly half: string; readonly checksum: string | undefined }
>;

async function listSegments(
  { tableName }: Selection,
  { controller, signal }: SegmentSource,
): Promise<Segments> {
  const list = async (what: string): Promise<unknown> => {
    const path = `/segments/${encodeURIComponent(tableName)}${what}`;
    const { status, text } = await controller.call({ method: 'GET', path, signal });
    if (status === 404) {
      throw new QuireError(
        'TABLE_NOT_FOUND',
        `Apache Pinot has no table ${tableName}; table names are case-sensitive here.`,
      );
    }
    if (status === 200) return parse(text);
    throw new QuireError(
      'QUERY_FAILED',
      `The segments of ${tableName} cannot be listed: HTTP ${status}.`,
    );
  };
  const halves = (await list('?excludeReplacedSegments=true')) as readonly Readonly<
    Record<string, readonly string[]>
  >[];
  const hasOffline = halves.some(({ OFFLINE: names = [] }) => names.length > 0);
  const checksums = (hasOffline ? await list('/crc') : {}) as Readonly<Record<string, string>>;
  return new Map(
    halves
      .flatMap((each) => Object.entries(each))
      .flatMap(([half, names]) =>
        names.map((name) => [name, { half, checksum: checksums[name] }] as const),
      ),
  );
}

function addMember(members: Map<string, unknown>, name: string, value: unknown): void {
  const before = members.get(name);
  if (typeof value === 'number' && typeof before === 'number') {
    const hasBoth = before > 0 && value > 0;
    if (name === freshnessMember && hasBoth) members.set(name, Math.min(before, value));
    else members.set(name, largestMembers.has(name) ? Math.max(before, value) : before + value);
  } else if (typeof value === 'boolean') {
    members.set(name, before === true || value);
  } else {
    members.set(name, value);
  }
}

function isFailed(members: ReadonlyMap<string, unknown>): boolean {
  const exceptions = members.get('exceptions');
  return Array.isArray(exceptions) && exceptions.length > 0;
}

function assertSame(
  columns: readonly PinotColumn[],
  others: readonly PinotColumn[],
  { tableName }: Selection,
): void {
  const shapeOf = (list: readonly PinotColumn[]): string =>
    JSON.stringify(list.map(({ name, pinotType }) => [name, pinotType]));
  if (shapeOf(columns) === shapeOf(others)) return;
  throw new QuireError(
    'QUERY_FAILED',
    `The columns of ${tableName} changed while it was read segment by segment; run the query again.`,
  );
}
