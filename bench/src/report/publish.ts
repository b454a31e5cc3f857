import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { formatBytes } from '@quire/core';
import { repositoryRoot } from '../process/node-arguments.ts';
import type { BenchReport } from './bench-report.ts';
import { comparisonRows } from './comparison-rows.ts';
import { drawPart } from './draw-part.ts';
import { goalRows } from './goals.ts';
import { markdownTable } from './text-table.ts';

const begin = '<!-- What follows is the last full run, as `npm run bench -- publish` wrote it. -->';
const end = '<!-- Here it ends. -->';

/** Draws the charts of a run, one file for each part. */
export async function writeCharts({ parts }: BenchReport, directory: string): Promise<void> {
  await mkdir(directory, { recursive: true });
  for (const part of parts) await writeFile(join(directory, `${part.name}.svg`), drawPart(part));
}

/**
 * Puts a run into the README of the benchmark, and its charts beside it; they replace those of the
 * last run.
 *
 * @throws Error when the README has no place for it
 */
export async function publish(report: BenchReport): Promise<void> {
  const directory = join(repositoryRoot, 'bench');
  const readmePath = join(directory, 'README.md');
  const readme = await readFile(readmePath, 'utf8');
  const [before, rest] = readme.split(begin);
  const after = rest?.split(end)[1];
  if (before === undefined || after === undefined) {
    throw new Error(`${readmePath} lacks the lines that a run goes between.`);
  }
  await writeCharts(report, join(directory, 'charts'));
  await writeFile(
    readmePath,
    `${before}${begin}\n<!-- prettier-ignore-start -->\n\n${renderRun(report)}\n<!-- prettier-ignore-end -->\n${end}${after}`,
  );
}

function renderRun(report: BenchReport): string {
  const { machine, startedAt, elapsedMs } = report;
  const processors = `${machine.processorCount} × ${machine.processor}`;
  return [
    `Run of ${startedAt.slice(0, 10)}, which took ${Math.round(elapsedMs / 60_000)} minutes, on ${processors} with ` +
      `${formatBytes(machine.memoryBytes)} of memory; ${machine.system}, Node ${machine.node}.\n`,
    '## Goals and what was measured\n',
    `${markdownTable(goalRows(report))}\n`,
    ...report.parts.map(renderPart),
  ].join('\n');
}

function renderPart({ name, title, comparisons, notes }: BenchReport['parts'][number]): string {
  return [
    `## ${title}\n`,
    `![${title}](charts/${name}.svg)\n`,
    ...notes.map((note) => `${note}\n`),
    '<details><summary>The figures</summary>\n',
    ...comparisons.map(
      (comparison) => `**${comparison.title}**\n\n${markdownTable(comparisonRows(comparison))}\n`,
    ),
    '</details>\n',
  ].join('\n');
}
