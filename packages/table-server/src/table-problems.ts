import type { QuireError } from '@quire/core';
import type { TableProblem } from '@quire/core/table-engine';

/** Says of tables and files what an operator must look at, by subject. */
export function tableProblems({
  setAside,
  damaged,
  unexplained,
  others,
}: {
  /** Tables that are not served, by name. */
  readonly setAside: ReadonlyMap<string, QuireError>;
  /** Damaged records of tables that are served, by table. */
  readonly damaged: ReadonlyMap<string, readonly QuireError[]>;
  /** Files that are kept because nothing explains them. */
  readonly unexplained: readonly string[];
  readonly others: readonly TableProblem[];
}): readonly TableProblem[] {
  const ofTable = (subject: string, { message }: QuireError): TableProblem => ({ kind: 'table', subject, problem: message });
  const kept = 'belongs to no table, and nothing explains it: it is kept. Remove it, or put it where it belongs.';
  const problems = [
    ...[...setAside].map(([name, damage]) => ofTable(name, damage)),
    ...[...damaged].flatMap(([name, errors]) => errors.map((error) => ofTable(name, error))),
    ...unexplained.map((path): TableProblem => ({ kind: 'file', subject: path, problem: `${path} ${kept}` })),
    ...others,
  ];
  return problems.toSorted((left, right) => (left.subject < right.subject ? -1 : 1));
}
