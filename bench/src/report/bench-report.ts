import { cpus, release, totalmem, type as systemName } from 'node:os';
import type { ComparisonReport, Figure } from '../measure/comparison.ts';
import type { PartReport } from '../measure/part.ts';

/** One run of the benchmark, as stored in a file. */
export interface BenchReport {
  readonly startedAt: string;
  readonly elapsedMs: number;
  /** A smoke run, whose figures are meaningless. */
  readonly isQuick: boolean;
  readonly machine: Machine;
  readonly parts: readonly PartReport[];
}

export interface Machine {
  readonly processor: string;
  readonly processorCount: number;
  readonly memoryBytes: number;
  readonly system: string;
  readonly node: string;
}

export function describeMachine(): Machine {
  const processors = cpus();
  return {
    processor: processors[0]?.model.trim() ?? 'unknown',
    processorCount: processors.length,
    memoryBytes: totalmem(),
    system: `${systemName()} ${release().replace(/-.*/, '')}`,
    node: process.version,
  };
}

/** A comparison by its id, if that part was run. */
export function findComparison(report: BenchReport, id: string): ComparisonReport | undefined {
  return report.parts
    .flatMap((part) => part.comparisons)
    .find((comparison) => comparison.id === id);
}

/**
 * A figure by the ids of its comparison, level and contender; the level of the last one when none
 * is named.
 */
export function findFigure(
  report: BenchReport,
  id: string,
  name: string,
  level?: string,
): Figure | undefined {
  const figures =
    findComparison(report, id)?.figures.filter((figure) => figure.name === name) ?? [];
  return level === undefined ? figures.at(-1) : figures.find((figure) => figure.level === level);
}
