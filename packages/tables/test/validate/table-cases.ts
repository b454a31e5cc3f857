import { assignmentCases } from './assignment-cases.ts';
import { engineCases } from './engine-cases.ts';
import { indexCases } from './index-cases.ts';
import { indexTypeCases } from './index-type-cases.ts';
import { ingestionCases } from './ingestion-cases.ts';
import { operationCases } from './operation-cases.ts';
import { taskCases } from './task-cases.ts';
import type { TableCase } from './table-scenes.ts';

/** A case for each rule about table configs, by its code. */
export const tableCases: Readonly<Record<string, TableCase>> = {
  ...ingestionCases,
  ...indexCases,
  ...indexTypeCases,
  ...operationCases,
  ...assignmentCases,
  ...taskCases,
  ...engineCases,
};
