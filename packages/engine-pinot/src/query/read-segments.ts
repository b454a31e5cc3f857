import { QuireError } from '@quire/core';
import { parse } from '../answer/parse-json.ts';
import type { AnswerPart } from '../answer/read-answer.ts';
import type { PinotColumn } from '../answer/pinot-column.ts';
import type { Controller } from '../http/controller.ts';
import type { Selection } from './plan-selection.ts';

export interface SegmentSource {
  readonly controller: Controller;
  readonly signal: AbortSignal;
  readonly ask: (sql: string) => Promise<AsyncGenerator<AnswerPart>>;
}

/**
 * Members that are the same in the answer for each segment, or of which the largest counts: the
 * others are added up.
 */
const largestMembers: ReadonlySet<string> = new Set([
  'totalDocs',
  'numServersQueried',
  'numServersResponded',
  'minConsumingFreshnessTimeMs',
]);

/**
 * The answer to a selection, one segment after the other: neither the broker nor anybody else holds
 * more than the rows of one. It has the segments that there were when it began; rows that came into
 * a consuming one since may be in it.
 *
 * @throws TABLE_NOT_FOUND
 * @throws QUERY_FAILED when a segment went away meanwhile, as its rows may be missing
 */
export async function* readSegments(
  selection: Selection,
  source: SegmentSource,
): AsyncGenerator<AnswerPart> {
  const segments = await listSegments(selection, source);
  const members = new Map<string, unknown>();
  let first: readonly PinotColumn[] | undefined;
  // A table without segments has columns all the same.
  for (const segment of segments.length === 0 ? [''] : segments) {
    for await (const part of await source.ask(selection.sqlOf(segment))) {
      if (part.kind === 'rows') yield part;
      else if (part.kind === 'member') addMember(members, part.name, parse(part.text));
      else if (first === undefined) yield { ...part, columns: (first = part.columns) };
      else assertSame(first, part.columns, selection);
    }
    if (isFailed(members)) break;
  }
  for (const [name, value] of members) yield { kind: 'member', name, text: JSON.stringify(value) };
  if (isFailed(members)) return;
  const now = new Set(await listSegments(selection, source));
  const gone = segments.find((segment) => !now.has(segment));
  if (gone === undefined) return;
  throw new QuireError(
    'QUERY_FAILED',
    `Segment ${gone} of ${selection.tableName} went away while the table was read segment by segment; ask again.`,
  );
}

async function listSegments(
  { tableName }: Selection,
  { controller, signal }: SegmentSource,
): Promise<readonly string[]> {
  const path = `/segments/${encodeURIComponent(tableName)}?excludeReplacedSegments=true`;
  const { status, text } = await controller.call({ method: 'GET', path, signal });
  if (status === 404) {
    throw new QuireError(
      'TABLE_NOT_FOUND',
      `Apache Pinot has no table ${tableName}; its name counts in upper and lower case here.`,
    );
  }
  if (status !== 200) {
    throw new QuireError(
      'QUERY_FAILED',
      `The segments of ${tableName} cannot be listed: HTTP ${status}.`,
    );
  }
  return (parse(text) as readonly Record<string, readonly string[]>[])
    .flatMap((half) => Object.values(half).flat())
    .toSorted();
}

function addMember(members: Map<string, unknown>, name: string, value: unknown): void {
  const before = members.get(name);
  if (typeof value === 'number' && typeof before === 'number') {
    members.set(name, largestMembers.has(name) ? Math.max(before, value) : before + value);
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
    `The columns of ${tableName} changed while it was read segment by segment; ask again.`,
  );
}
