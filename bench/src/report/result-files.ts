import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { repositoryRoot } from '../process/node-arguments.ts';
import type { BenchReport } from './bench-report.ts';

/** The directory of runs, which git ignores. */
export const resultsDirectory = join(repositoryRoot, 'bench/results');

/**
 * Stores a run, under a name by which runs sort by time and full ones are recognizable, and returns
 * its path.
 */
export async function writeReport(report: BenchReport, isFull: boolean): Promise<string> {
  await mkdir(resultsDirectory, { recursive: true });
  const time = report.startedAt.replaceAll(/[:.]/g, '-');
  const kind = isFull && !report.isQuick ? 'full' : 'partial';
  const path = join(resultsDirectory, `${time}-${kind}.json`);
  await writeFile(path, `${JSON.stringify(report, undefined, 2)}\n`);
  return path;
}

/** Returns the last run of all parts that was not a smoke run. */
export async function readLastFullReport(): Promise<BenchReport | undefined> {
  const names = await readdir(resultsDirectory).catch((): string[] => []);
  const last = names
    .filter((name) => name.endsWith('-full.json'))
    .toSorted()
    .at(-1);
  if (last === undefined) return undefined;
  return JSON.parse(await readFile(join(resultsDirectory, last), 'utf8')) as BenchReport;
}
