import { join } from 'node:path';
import {
  type ComparisonEntry,
  type ComparisonReport,
  quire,
  reportComparison,
  runComparison,
} from '../measure/comparison.ts';
import { repeated } from '../measure/interleave.ts';
import type { BenchContext, Part } from '../measure/part.ts';
import { Child } from '../process/child.ts';
import type { PreviewAnswer, PreviewOptions, PreviewRequest } from './preview.process.ts';

/**
 * Runs rows through the ingestion pipeline of a table; compared with DuckDB, and with the same
 * transforms written by hand.
 */
export const previewPart: Part = {
  name: 'preview',
  title: 'Previewing a table',
  async run(context) {
    const { isQuick, scratch, profileDirectory } = context;
    const options: PreviewOptions = { rowCount: isQuick ? 500 : 10_000, directory: scratch };
    await using child = new Child(join(import.meta.dirname, 'preview.process.ts'), options, {
      profileDirectory,
    });
    const times = await compareTimes(context, child);
    const loop = await measureLoop(context, child);
    return { comparisons: [times, loop], notes };
  },
};

const notes = [
  'The pipeline also checks types, lengths and nulls of all 50 columns and explains its changes; the others only transform.',
  'Hand-written code (by-hand) computes the same values for this one table only. It does not check types, lengths, nulls or limits, throws on wrong values, and does not report changes.',
  'The checked version also checks type, length and default of each value of the 50 columns. It throws on wrong values, and does not report changes.',
  'The whole call is from the text of the request body to that of the answer, including the checks of config and schema. By hand it is JSON.parse, the transforms and JSON.stringify.',
  'The time of DuckDB starts after its rows are loaded into a table; it runs on one thread, as the others do.',
];

async function compareTimes(
  { isQuick, progress }: BenchContext,
  child: Child,
): Promise<ComparisonReport> {
  const contenders: readonly [name: string, request: PreviewRequest][] = [
    [quire, 'pipeline'],
    ['by-hand', 'by-hand'],
    ['by-hand, checked', 'checked-by-hand'],
    ['duckdb-sql', 'duckdb'],
    ['quire, whole call', 'whole-call'],
    ['by-hand, whole call', 'whole-by-hand'],
  ];
  const entries = contenders.map(([name, request]): ComparisonEntry => {
    const contender = repeated(
      async () => ((await child.call(request)) as PreviewAnswer).elapsedMs,
    );
    return { level: '20 transforms', name, contender };
  });
  const title = 'Rows of 50 columns as objects, 20 columns computed by transforms';
  return runComparison(
    { id: 'preview-time', title, unit: 'ms', factor: 'transforms', comparesLevels: false, entries },
    {
      count: isQuick ? 1 : 5,
      sliceMs: isQuick ? 1 : 1500,
      onSlice: (index, count) => progress(`${title}: ${Math.round((100 * index) / count)} %`),
    },
  );
}

async function measureLoop(
  { isQuick, progress }: BenchContext,
  child: Child,
): Promise<ComparisonReport> {
  progress('the event loop during previews');
  const answers: PreviewAnswer[] = [];
  for (let run = 0; run < (isQuick ? 1 : 5); run += 1) {
    answers.push((await child.call('whole-call')) as PreviewAnswer);
  }
  const measured = (['p50', 'p99', 'max'] as const).map((level) => {
    return { level, name: quire, rounds: answers.map(({ loopDelayMs }) => [loopDelayMs[level]]) };
  });
  const title = 'Event loop delay during a whole call: parsing, pipeline, answer';
  return reportComparison(
    { id: 'preview-loop', title, unit: 'ms', factor: 'delay', comparesLevels: false },
    measured,
  );
}
