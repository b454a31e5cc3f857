import { TableGenerator } from './data/generate.ts';
import type { Part, PartReport } from './measure/part.ts';
import { inScratchDirectory } from './process/scratch-directory.ts';
import { type BenchReport, describeMachine } from './report/bench-report.ts';

export interface RunOptions {
  readonly isQuick: boolean;
  readonly profileDirectory: string | undefined;
  readonly progress: (what: string) => void;
  readonly onPart: (report: PartReport) => void;
}

/**
 * Runs parts in turn, each in a directory of its own that is removed afterwards. A quick run, whose
 * figures mean nothing, runs two at a time.
 *
 * @throws the error of a part; an incomplete run is not reported
 */
export async function runParts(parts: readonly Part[], options: RunOptions): Promise<BenchReport> {
  const startedAt = new Date().toISOString();
  const startMs = performance.now();
  const reports: PartReport[] = [];
  await inScratchDirectory(async (directory) => {
    using tables = await TableGenerator.open(directory);
    const waiting = parts.entries();
    const runWaiting = async (): Promise<void> => {
      for (const [index, part] of waiting) {
        const report = await runPart(part, tables, options);
        options.onPart(report);
        reports[index] = report;
      }
    };
    await Promise.all(Array.from({ length: options.isQuick ? 2 : 1 }, runWaiting));
  });
  return {
    startedAt,
    elapsedMs: performance.now() - startMs,
    isQuick: options.isQuick,
    machine: describeMachine(),
    parts: reports,
  };
}

async function runPart(
  part: Part,
  tables: TableGenerator,
  options: RunOptions,
): Promise<PartReport> {
  const { name, title } = part;
  const { isQuick, profileDirectory } = options;
  const startMs = performance.now();
  const progress = (what: string): void => options.progress(`${name}: ${what}`);
  const outcome = await inScratchDirectory((scratch) =>
    part.run({ isQuick, profileDirectory, tables, scratch, progress }),
  );
  return { name, title, ...outcome, elapsedMs: performance.now() - startMs };
}
