import type { QuireError } from '@quire/core';
import type { TableProblem } from '@quire/core/table-engine';
import { describeDamage } from './segments/verify-file.ts';
import type { DamagedSegment } from './upkeep/scrub.ts';

/** Describes the problems of tables and files that an operator must investigate, by subject. */
export function tableProblems({
  setAside,
  damaged,
  segments,
  unexplained,
  diskProblem,
  others,
}: {
  /** Tables that are not served, by name. */
  readonly setAside: ReadonlyMap<string, QuireError>;
  /** Records that were damaged after they were read: of tables by name, others by path. */
  readonly damaged: ReadonlyMap<string, readonly QuireError[]>;
  readonly segments: readonly DamagedSegment[];
  /** Files that no record explains, and that are therefore not deleted. */
  readonly unexplained: readonly string[];
  /** Why the disk takes no writes, if it does not. */
  readonly diskProblem: string | undefined;
  readonly others: readonly TableProblem[];
}): readonly TableProblem[] {
  const problemOf = (subject: string, { message }: QuireError): TableProblem => {
    return { kind: subject.endsWith('.json') ? 'record' : 'table', subject, problem: message };
  };
  const kept =
    'belongs to no known table, so it is not deleted automatically. Remove it, or move it to its table.';
  const problems = [
    ...[...setAside].map(([name, damage]) => problemOf(name, damage)),
    ...[...damaged].flatMap(([name, errors]) => errors.map((error) => problemOf(name, error))),
    ...segments.map(({ tableName, segmentName, problem }): TableProblem => {
      return {
        kind: 'segment',
        subject: `${tableName}/${segmentName}`,
        problem: describeDamage(tableName, problem),
      };
    }),
    ...unexplained.map((path): TableProblem => ({
      kind: 'file',
      subject: path,
      problem: `${path} ${kept}`,
    })),
    ...(diskProblem === undefined
      ? []
      : [{ kind: 'disk', subject: 'engine.tables.data.dir', problem: diskProblem } as const]),
    ...others,
  ];
  return problems.toSorted((left, right) => (left.subject < right.subject ? -1 : 1));
}
