import type { Finding } from '../finding.ts';
import type { StepJournal } from './journal.ts';
import type { WorkingRow } from './working-row.ts';

/** The steps by name, in the order in which rows go through them; enrichment may come at either of two places. */
export const stepNames = [
  'enrichment',
  'flatten',
  'unnest',
  'renamePrefixes',
  'transform',
  'filter',
  'schemaConforming',
  'dataType',
  'timeCheck',
  'specialValue',
  'nullDefault',
  'sanitize',
  'projection',
] as const;

export type StepName = (typeof stepNames)[number];

/** One step, ready to run: what it needs of config and schema is inside. */
export interface Step {
  readonly name: StepName;
  /** Changes a row and says so in the journal; gives the rows that go on: mostly that one, none, or several. */
  apply(row: WorkingRow, journal: StepJournal): readonly WorkingRow[];
}

/** A step, or none where the config asks for none, and what is wrong with what it asks for. */
export interface PlannedStep {
  readonly step: Step | undefined;
  readonly findings: readonly Finding[];
}

/** What is planned where there is nothing to do. */
export const noStep: PlannedStep = { step: undefined, findings: [] };
