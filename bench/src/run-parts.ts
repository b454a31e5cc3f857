import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Part, PartReport } from './measure/part.ts';
import { type BenchReport, describeMachine } from './report/bench-report.ts';

export interface RunOptions {
  readonly isQuick: boolean;
  readonly profileDirectory: string | undefined;
  progress(what: string): void;
  onPart(report: PartReport): void;
}

/**
 * Runs parts one after the other, each in a directory of its own that is gone afterwards.
 *
 * @throws what a part throws; nothing of an incomplete run is reported
 */
export async function runParts(parts: readonly Part[], options: RunOptions): Promise<BenchReport> {
  const startedAt = new Date().toISOString();
  const startMs = performance.now();
  const reports: PartReport[] = [];
  for (const part of parts) {
    const report = await runPart(part, options);
    options.onPart(report);
    reports.push(report);
  }
  return {
    startedAt,
    elapsedMs: performance.now() - startMs,
    isQuick: options.isQuick,
    machine: describeMachine(),
    parts: reports,
  };
}

async function runPart(part: Part, options: RunOptions): Promise<PartReport> {
  const { name, title } = part;
  const startMs = performance.now();
  const scratch = await mkdtemp(join(tmpdir(), 'quire-bench-'));
  try {
    await chmod(scratch, 0o755); // PostgreSQL may have to run as another user, and reads a file in here
    const outcome = await part.run({
      isQuick: options.isQuick,
      scratch,
      profileDirectory: options.profileDirectory,
      progress: (what) => options.progress(`${name}: ${what}`),
    });
    return { name, title, ...outcome, elapsedMs: performance.now() - startMs };
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}
