import { compileExpression, parseExpression, type Value } from '@quire/tables/expressions';
import { systemClock } from '@quire/core';
import fc from 'fast-check';
import { argumentFor } from './argument-for.ts';
import type { Given } from './argument-pools.ts';
import { valueOf } from './given-value.ts';
import type { JudgedValue, PinotJudge, Signature } from './pinot-judge.ts';
import { isSameValue } from './same-value.ts';

/** A call on one row: the judge's value, and ours. */
export interface Comparison {
  readonly call: string;
  readonly judged: unknown;
  readonly ours: unknown;
  readonly agrees: boolean;
  readonly bothGiveValues: boolean;
}

/** Functions that keep a value of the first row: the judge creates them again for each row. */
const keepsFirstRow = /^(?:Regexp.*Const|DateTimeConvert)/;

/** Returns the form of a function's call: most by their name, some only in SQL's syntax. */
function callOf(name: string, count: number): string | undefined {
  const [a, b, c] = ['c0', 'c1', 'c2'] as const;
  const written: Readonly<Record<string, string | undefined>> = {
    and: `${a} AND ${b}`,
    or: `${a} OR ${b}`,
    not: `NOT ${a}`,
    between: `${a} BETWEEN ${b} AND ${c}`,
    minus: undefined,
    case: undefined,
    arrayvalueconstructor: undefined,
    extract: undefined,
    timestampadd: undefined,
    timestampdiff: undefined,
    cast: undefined,
    substring: `SUBSTRING(${['c0', 'c1', 'c2'].slice(0, count).join(', ')})`,
    trim: count === 1 ? `TRIM(${a})` : `TRIM(BOTH ${b} FROM ${c})`,
  };
  if (Object.hasOwn(written, name)) return written[name];
  return `${name}(${Array.from({ length: count }, (_, index) => `c${index}`).join(', ')})`;
}

/** Compares `count` calls of a signature. */
export async function compareCalls(
  judge: PinotJudge,
  name: string,
  signature: Signature,
  seed: number,
  runs: number,
): Promise<readonly Comparison[]> {
  const count = signature.arguments;
  const arbitrary = fc.tuple(
    ...Array.from({ length: count }, (_, place) =>
      argumentFor(
        name,
        (signature.isVariadic ? undefined : signature.takes[place]) ?? 'Object',
        place,
      ),
    ),
  );
  const rows = fc.sample(arbitrary, { seed, numRuns: runs });
  return (
    await Promise.all(
      expressionsOf(name, count).map((expression) =>
        compareRows(judge, expression, rows, keepsFirstRow.test(signature.class)),
      ),
    )
  ).flat();
}

export function expressionsOf(name: string, count: number): readonly string[] {
  const units = ['YEAR', 'QUARTER', 'MONTH', 'WEEK', 'DAY', 'HOUR', 'MINUTE', 'SECOND'];
  if (name === 'extract') return [...units, 'DOW', 'DOY'].map((unit) => `EXTRACT(${unit} FROM c1)`);
  if (name === 'timestampadd') return units.map((unit) => `TIMESTAMPADD(${unit}, c1, c2)`);
  if (name === 'timestampdiff') return units.map((unit) => `TIMESTAMPDIFF(${unit}, c1, c2)`);
  if (name === 'cast') {
    return [
      'INT',
      'BIGINT',
      'DOUBLE',
      'FLOAT',
      'VARCHAR',
      'BOOLEAN',
      'TIMESTAMP',
      'DECIMAL',
      'STRING',
      'LONG',
      'BYTES',
      'JSON',
    ].map((type) => `CAST(c0 AS ${type})`);
  }
  if (name === 'case') {
    return ['CASE WHEN c0 > c1 THEN c2 ELSE c3 END', 'CASE c0 WHEN c1 THEN c2 END'];
  }
  if (name === 'arrayvalueconstructor') {
    return ['ARRAY[1, 2, 3]', "ARRAY['a', 'b']", 'ARRAY[1.5, 2.0]'];
  }
  if (name === 'jsonextractkey') {
    return ['$.*', '', '$.a', '$..c', '$.c[*]'].map(
      (path) =>
        `jsonExtractKey(c0, '${path}'${count === 3 ? ", 'maxDepth=2;dotNotation=true'" : ''})`,
    );
  }
  const call = callOf(name, count);
  return call === undefined ? [] : [call];
}

/** Compares one expression on rows, whose values are named c0, c1 and so on. */
export async function compareRows(
  judge: PinotJudge,
  expression: string,
  rows: readonly (readonly Given[])[],
  isolated = false,
): Promise<readonly Comparison[]> {
  const fields = rows.map((values) =>
    Object.fromEntries(values.map((value, index) => [`c${index}`, value])),
  );
  const answers = isolated
    ? await Promise.all(
        fields.map(async (row) => (await judgedValues(judge, expression, [row]))[0]),
      )
    : await judgedValues(judge, expression, fields);
  return fields.map((row, index) => compare(expression, row, answers[index]));
}

async function judgedValues(
  judge: PinotJudge,
  expression: string,
  rows: readonly unknown[],
): Promise<readonly unknown[]> {
  const answer = await judge.evaluate(expression, rows);
  return answer.refused === undefined ? answer.values : rows.map(() => ({ error: answer.refused }));
}

function compare(
  expression: string,
  row: Readonly<Record<string, Given>>,
  judged: unknown,
): Comparison {
  const ours = evaluate(expression, row);
  const judgeFails = isFailure(judged);
  const weFail = isFailure(ours);
  const agrees =
    judgeFails || weFail ? judgeFails && weFail : isSameValue(judged as JudgedValue, ours);
  return {
    call: `${expression} with ${JSON.stringify(row)}`,
    judged,
    ours,
    agrees,
    bothGiveValues: !judgeFails && !weFail,
  };
}

function evaluate(
  expression: string,
  row: Readonly<Record<string, Given>>,
): Value | { readonly error: string } {
  const parsed = parseExpression(expression);
  if (parsed.expression === undefined) return { error: parsed.findings[0]?.message ?? 'refused' };
  try {
    return compileExpression(parsed.expression, { clock: systemClock })(
      Object.fromEntries(Object.entries(row).map(([name, value]) => [name, valueOf(value)])),
    );
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error)) {
      throw new Error(`${expression} on ${JSON.stringify(row)}`, { cause: error });
    }
    return { error: error.message };
  }
}

export function isFailure(value: unknown): value is { readonly error: string } {
  return (
    typeof value === 'object' &&
    value !== null &&
    'error' in value &&
    typeof value.error === 'string'
  );
}
