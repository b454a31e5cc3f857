import { isQuireError } from '@quire/core';
import { rowError } from '../expressions/index.ts';
import type { Finding } from '../finding.ts';
import type { StepJournal, StepName } from './journal.ts';
import type { WorkingRow } from './working-row.ts';

/** One step, ready to run: what it needs of config and schema is inside. */
export interface Step {
  readonly name: StepName;
  /**
   * Changes a row and says so in the journal; gives the rows that go on: mostly that one, none, or
   * several.
   */
  apply(row: WorkingRow, journal: StepJournal): readonly WorkingRow[];
}

/** A step, or none where the config asks for none, and what is wrong with what it asks for. */
export interface PlannedStep {
  readonly step: Step | undefined;
  readonly findings: readonly Finding[];
}

/** What is planned where there is nothing to do. */
export const noStep: PlannedStep = { step: undefined, findings: [] };

/**
 * What is done about a value that is wrong: the column becomes null and the row incomplete, or the
 * row fails.
 */
export type ErrorPolicy = 'continue' | 'fail';

/** Deals with a wrong value by the policy, and notes it. */
export function failColumn(
  row: WorkingRow,
  column: string,
  reason: string,
  policy: ErrorPolicy,
  journal: StepJournal,
): void {
  journal.note('failed', column, { sourceIndex: row.sourceIndex, before: row.get(column), reason });
  if (policy === 'fail') {
    row.failure ??= { column, reason };
    return;
  }
  row.fields[column] = null;
  row.unsettled = undefined;
  row.isIncomplete = true;
}

/** Runs what may fail on a value, and deals with that by the policy. */
export function attempt(
  row: WorkingRow,
  column: string,
  policy: ErrorPolicy,
  journal: StepJournal,
  act: () => void,
): void {
  try {
    act();
  } catch (thrown) {
    const error = rowError(thrown);
    if (!isQuireError(error, 'EXPRESSION_FAILED')) throw error;
    failColumn(row, column, error.message, policy, journal);
  }
}
