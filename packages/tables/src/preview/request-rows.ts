import type { TimeSlice } from '@quire/core/wait';
import type { Finding } from '../finding.ts';
import { pointerTo } from '../json-pointer.ts';
import { isRecord } from '../model/model-schema.ts';
import type { SourceRow } from '../row.ts';
import { isDeeperThan, nestingMax } from './nesting.ts';
import type { SampleBudget } from './sample-budget.ts';

/** The rows of a request, as the pipeline takes them. */
export interface RequestRows {
  readonly rows: readonly SourceRow[];
  readonly findings: readonly Finding[];
}

/** Findings about single rows after which the others are only counted. */
const findingsMax = 20;

/**
 * Reads `sourceRows`; never throws. Columns of `nullValueFields` have no value, whatever stands there. An object without
 * `fieldToValueMap` is taken for the fields themselves.
 */
export async function readRequestRows(rows: readonly unknown[], budget: SampleBudget, slice: TimeSlice): Promise<RequestRows> {
  const findings: Finding[] = [];
  const read: SourceRow[] = [];
  let faultCount = 0;
  const report = (index: number, message: string, code = 'SOURCE_ROW'): void => {
    faultCount += 1;
    const path = pointerTo('/sourceRows', index);
    if (faultCount <= findingsMax) findings.push({ path, code, severity: 'error', message });
  };
  for (const [index, row] of rows.entries()) {
    if (slice.isDue) await slice.yield();
    const fields = isRecord(row) ? (row['fieldToValueMap'] ?? plainFields(row)) : undefined;
    if (!isRecord(row) || !isRecord(fields)) report(index, 'Expected an object with fieldToValueMap; the row is left out.');
    else if (isDeeperThan(fields, nestingMax)) report(index, `It is nested more than ${nestingMax} deep; the row is left out.`);
    else {
      const taken = withNulls(fields as SourceRow, row['nullValueFields']);
      const refusal = budget.refuse(taken);
      if (refusal === undefined) read.push(taken);
      else report(index, `${refusal.message} The row is left out.`, refusal.code);
      if (refusal?.code === 'SIZE_LIMIT') break;
    }
  }
  if (faultCount > findingsMax) {
    const message = `${faultCount} rows are left out; the first ${findingsMax} are listed.`;
    findings.push({ path: '/sourceRows', code: 'SOURCE_ROW', severity: 'error', message });
  }
  return { rows: read, findings };
}

function plainFields(row: Readonly<Record<string, unknown>>): unknown {
  return Object.hasOwn(row, 'nullValueFields') || Object.hasOwn(row, 'fieldToValueMap') ? {} : row;
}

function withNulls(fields: SourceRow, nullFields: unknown): SourceRow {
  if (!Array.isArray(nullFields) || nullFields.length === 0) return fields;
  const names = nullFields.filter((name) => typeof name === 'string');
  return { ...fields, ...Object.fromEntries(names.map((name) => [name, null])) };
}
