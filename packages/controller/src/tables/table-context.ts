import { isQuireError, type JsonValue, QuireError, writeLosslessJson } from '@quire/core';
import {
  parseTableName,
  type TableEngine,
  type TableSummary,
  type TableType,
} from '@quire/core/table-engine';
import type { RawParameter } from '@quire/api';
import { requireRole } from '@quire/auth';
import { audit, principalOf, queryOf } from '@quire/service';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ControllerContext } from '../controller-context.ts';
import type { ControllerTables } from '../controller-options.ts';

/** @throws UNSUPPORTED when this controller has no table engine */
export function tablesOf({ tables }: ControllerContext): ControllerTables {
  if (tables !== undefined) return tables;
  throw new QuireError(
    'UNSUPPORTED',
    'This controller manages no tables. Run the role `server` beside it, or set engine.kind = pinot.',
  );
}

/** Requires an admin for a change, and writes it to the audit log. @throws FORBIDDEN */
export function authorizeChange(
  request: FastifyRequest,
  event: string,
  members: Readonly<Record<string, unknown>> = {},
): void {
  requireRole(principalOf(request), 'admin');
  audit(request, event, members);
}

/** Sends JSON with all digits of its integers. */
export function sendJson(reply: FastifyReply, value: object | string): FastifyReply {
  return reply
    .header('cache-control', 'no-store')
    .type('application/json; charset=utf-8')
    .send(typeof value === 'string' ? JSON.stringify(value) : writeLosslessJson(value));
}

export function pathOf(request: FastifyRequest): Readonly<Record<string, string>> {
  return request.params as Readonly<Record<string, string>>;
}

/**
 * Returns a query parameter that may be given once. @throws INVALID_PARAMETER when it is given
 * several times
 */
export function parameterOf(request: FastifyRequest, name: string): string | undefined {
  const value: RawParameter = queryOf(request)[name];
  if (value === undefined || typeof value === 'string') return value;
  if (value.length <= 1) return value[0];
  throw new QuireError(
    'INVALID_PARAMETER',
    `${name} is given ${value.length} times; expected it once.`,
  );
}

/** @throws INVALID_BODY without a body: the parser does not check an empty one */
export function bodyOf(request: FastifyRequest): Readonly<Record<string, JsonValue>> {
  if (request.body === undefined || request.body === null) {
    throw new QuireError('INVALID_BODY', 'The request body is empty; expected a JSON object.');
  }
  return request.body as Readonly<Record<string, JsonValue>>;
}

/** Returns the type of a table that a parameter names. @throws INVALID_PARAMETER */
export function typeOf(request: FastifyRequest): TableType | undefined {
  const text = parameterOf(request, 'type')?.toUpperCase();
  if (text === undefined || text === 'OFFLINE' || text === 'REALTIME') return text;
  throw new QuireError(
    'INVALID_PARAMETER',
    `type is '${text.slice(0, 40)}'; expected OFFLINE or REALTIME.`,
  );
}

/**
 * Returns the kinds of instances that the parameter `type` selects; both by default. @throws
 * INVALID_PARAMETER
 */
export function instanceKindsOf(request: FastifyRequest): ReadonlySet<'BROKER' | 'SERVER'> {
  const text = parameterOf(request, 'type');
  const kind = text?.toUpperCase();
  if (kind === undefined) return new Set(['BROKER', 'SERVER']);
  if (kind === 'BROKER' || kind === 'SERVER') return new Set([kind]);
  throw new QuireError(
    'INVALID_PARAMETER',
    `type is '${text?.slice(0, 40)}'; expected broker or server.`,
  );
}

/**
 * Returns the halves of a table that a name selects: one with a suffix; without it both existing
 * ones, or the one of the type.
 *
 * @throws TABLE_NOT_FOUND when there is none
 */
export async function halvesOf(
  engine: TableEngine,
  name: string,
  type: TableType | undefined,
  signal: AbortSignal,
): Promise<readonly TableSummary[]> {
  const named = parseTableName(name);
  const wanted = named.type ?? type;
  const tables = await engine.listTables({ signal });
  const halves = tables.filter(
    (table) =>
      parseTableName(table.tableNameWithType).rawName === named.rawName &&
      (wanted === undefined || table.type === wanted),
  );
  const isContradiction = named.type !== undefined && type !== undefined && named.type !== type;
  if (halves.length > 0 && !isContradiction) return halves;
  throw new QuireError(
    'TABLE_NOT_FOUND',
    `There is no table '${name.slice(0, 200)}'${wanted === undefined ? '' : ` of type ${wanted}`}.`,
  );
}

/**
 * Reads each of the halves that were listed, except those that were deleted in the meantime.
 *
 * @throws TABLE_NOT_FOUND when all of them were deleted
 */
export async function readHalves<Found>(
  halves: readonly TableSummary[],
  read: (half: TableSummary) => Promise<Found>,
): Promise<readonly Found[]> {
  const outcomes = await Promise.allSettled(halves.map(read));
  const found = outcomes.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  for (const each of outcomes) {
    if (each.status === 'fulfilled') continue;
    if (found.length === 0 || !isQuireError(each.reason, 'TABLE_NOT_FOUND')) throw each.reason;
  }
  return found;
}

/** Returns the name of the real-time half, for calls that require it. */
export function realtimeName(name: string): string {
  return parseTableName(name).type === undefined ? `${name}_REALTIME` : name;
}
