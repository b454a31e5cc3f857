import type { JsonValue } from '@quire/client';
import { CallError, type Call } from '../call.ts';
import { encodeJson } from './cell-text.ts';
import { quoteName } from './catalog.ts';

/** The rows of an answer that is not stored, as texts; null for a null. */
export interface PlainAnswer {
  readonly names: readonly string[];
  readonly rows: readonly (readonly (string | null)[])[];
}

interface QueryAnswer {
  readonly resultTable?: {
    readonly dataSchema: { readonly columnNames: readonly string[] };
    readonly rows: readonly (readonly JsonValue[])[];
  };
  readonly exceptions?: readonly { readonly message: string }[];
}

/** Rows of a sample. */
const sampleRows = 10;

export function sampleOf(table: string): string {
  return `SELECT * FROM ${quoteName(table)} LIMIT ${sampleRows}`;
}

/** Runs a query whose few rows are returned at once, and not stored. @throws CallError */
export async function readPlain(
  call: Call,
  sql: string,
  signal?: AbortSignal,
): Promise<PlainAnswer> {
  const answer = (await call('/query/sql', {
    method: 'POST',
    body: { sql },
    signal,
  })) as unknown as QueryAnswer;
  const [problem] = answer.exceptions ?? [];
  if (answer.resultTable === undefined || problem !== undefined) {
    const message = problem?.message ?? 'The server answered without rows.';
    throw new CallError(message, { status: 200, code: 'QUERY_FAILED' });
  }
  const { dataSchema, rows } = answer.resultTable;
  return {
    names: dataSchema.columnNames,
    rows: rows.map((row) => row.map((cell) => textOf(cell))),
  };
}

export async function readRowCount(
  call: Call,
  table: string,
  signal?: AbortSignal,
): Promise<number> {
  const { rows } = await readPlain(call, `SELECT count(*) FROM ${quoteName(table)}`, signal);
  return Number(rows[0]?.[0]);
}

function textOf(cell: JsonValue): string | null {
  if (cell === null) return null;
  return typeof cell === 'string' ? cell : encodeJson(cell);
}
