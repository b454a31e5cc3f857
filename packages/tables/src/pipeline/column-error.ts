import { isQuireError } from '@quire/core';
import type { StepJournal } from './journal.ts';
import type { WorkingRow } from './working-row.ts';

/** What is done about a value that is wrong: the column becomes null and the row incomplete, or the row fails. */
export type ErrorPolicy = 'continue' | 'fail';

/** Deals with a wrong value by the policy, and notes it. */
export function failColumn(row: WorkingRow, column: string, reason: string, policy: ErrorPolicy, journal: StepJournal): void {
  journal.note('failed', column, { sourceIndex: row.sourceIndex, before: row.get(column), reason });
  if (policy === 'fail') {
    row.failure ??= { column, reason };
    return;
  }
  row.fields[column] = null;
  row.isIncomplete = true;
}

/** Runs what may fail on a value, and deals with that by the policy. */
export function attempt(row: WorkingRow, column: string, policy: ErrorPolicy, journal: StepJournal, act: () => void): void {
  try {
    act();
  } catch (error) {
    if (!isQuireError(error, 'EXPRESSION_FAILED')) throw error;
    failColumn(row, column, error.message, policy, journal);
  }
}
