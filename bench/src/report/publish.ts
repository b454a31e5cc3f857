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
 * Publishes a run: goals and charts in the README of the benchmark, the figures on the page of
 * measurements. They replace those of the last run.
 *
 * @throws Error when a document has no place for it
 */
export async function publish(report: BenchReport): Promise<void> {
  const directory = join(repositoryRoot, 'bench');
  await writeCharts(report, join(directory, 'charts'));
  await replaceRun(join(directory, 'README.md'), renderRun(report));
  await replaceRun(join(repositoryRoot, 'docs/measurements.md'), renderFigures(report));
}

async function replaceRun(path: string, run: string): Promise<void> {
  const [before, rest] = (await readFile(path, 'utf8')).split(begin);
  const after = rest?.split(end)[1];
  if (before === undefined || after === undefined) {
    throw new Error(`${path} lacks the lines that a run goes between.`);
  }
  await writeFile(
    path,
    `${before}${begin}\n<!-- prettier-ignore-start -->\n\n${run}\n<!-- prettier-ignore-end -->\n${end}${after}`,
  );
}

function renderRun(report: BenchReport): string {
  return [
    `${renderMachine(report)}\n`,
    '## Goals and measurements\n',
    `${markdownTable(goalRows(report))}\n`,
    ...report.parts.map(renderPart),
  ].join('\n');
}

function renderMachine({ machine, startedAt, elapsedMs }: BenchReport): string {
  const processors = `${machine.processorCount} × ${machine.processor}`;
  return (
    `Run of ${startedAt.slice(0, 10)}, which took ${Math.round(elapsedMs / 60_000)} minutes, on ${processors} with ` +
    `${formatBytes(machine.memoryBytes)} of memory; ${machine.system}, Node ${machine.node}.`
  );
}

function renderPart({ name, title, notes }: BenchReport['parts'][number]): string {
  return [
    `## ${title}\n`,
    `![${title}](charts/${name}.svg)\n`,
    ...notes.map((note) => `${note}\n`),
  ].join('\n');
}

function renderFigures(report: BenchReport): string {
  const parts = report.parts.flatMap(({ title, comparisons }) => [
    `### ${title}\n`,
    ...comparisons.map(
      (comparison) => `**${comparison.title}**\n\n${markdownTable(comparisonRows(comparison))}\n`,
    ),
  ]);
  return [`${renderMachine(report)}\n`, ...parts].join('\n');
}
