import { QuireError } from '@quire/core';
import { skippedSql } from '../skipped-sql.ts';

/** Matches what is skipped, or a parameter: `?`, or `$` and a number. */
const pieces = new RegExp(String.raw`${skippedSql}|\?|\$(?<number>\d+)`, 'g');

/** The maximum number of parameters: DuckDB numbers them up to this one. */
const parameterCountMax = 65_535;

/**
 * Counts the parameters of a statement by position. It is an estimate without a parser: the engine
 * checks them when the statement runs.
 *
 * @throws QUERY_INVALID when it has more than 65,535
 */
export function placeholderCountOf(sql: string): number {
  let count = 0;
  let highest = 0;
  for (const { 0: piece, groups } of sql.matchAll(pieces)) {
    if (piece === '?') count += 1;
    highest = Math.max(highest, Number(groups?.['number'] ?? 0));
  }
  const total = Math.max(count, highest);
  if (total <= parameterCountMax) return total;
  throw new QuireError(
    'QUERY_INVALID',
    `The statement has more than ${parameterCountMax} parameters, which is the limit.`,
  );
}
