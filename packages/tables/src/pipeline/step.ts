import { isQuireError } from '@quire/core';
import { rowError } from '../expressions/index.ts';
import type { Finding } from '../finding.ts';
import type { StepJournal, StepName } from './journal.ts';
import type { WorkingRow } from './working-row.ts';

/** A step that is ready to run; it contains all that it needs from config and schema. */
export interface Step {
  readonly name: StepName;
  /**
   * Changes a row and records the changes in the journal. Returns the rows to continue with:
   * usually that row, sometimes none or several.
   */
  apply(row: WorkingRow, journal: StepJournal): readonly WorkingRow[];
}

/** A step, or none if the config has none, and findings about its part of the config. */
export interface PlannedStep {
  readonly step: Step | undefined;
  readonly findings: readonly Finding[];
}

/** The plan of a step that has nothing to do. */
export const noStep: PlannedStep = { step: undefined, findings: [] };

/**
 * The treatment of a wrong value: the column becomes null and the row incomplete, or the row fails.
 */
export type ErrorPolicy = 'continue' | 'fail';

/** Applies the policy to a wrong value, and records it. */
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

/** Runs code that may fail on a value, and applies the policy if it does. */
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
