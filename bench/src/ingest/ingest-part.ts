import { join } from 'node:path';
import { type ComparisonEntry, quire, reportComparison, runComparison } from '../measure/comparison.ts';
import { repeated } from '../measure/interleave.ts';
import type { Part } from '../measure/part.ts';
import { Child } from '../process/child.ts';
import { readProcessMemory, resetPeak } from '../process/process-memory.ts';
import type { IngestAnswer, IngestOptions, IngestRequest } from './ingest.process.ts';

/** Messages of a stream into committed segments, beside DuckDB's own way and beside reading them with nothing done. */
export const ingestPart: Part = {
  name: 'ingest',
  title: 'Messages into tables',
  async run({ isQuick, scratch, profileDirectory, progress }) {
    const options: IngestOptions = { messageCount: isQuick ? 5_000 : 200_000, directory: scratch };
    await using child = new Child(join(import.meta.dirname, 'ingest.process.ts'), options, { profileDirectory });
    const ask = async (request: IngestRequest): Promise<number> => ((await child.call(request)) as IngestAnswer).figure;
    const rounds = { count: isQuick ? 1 : 3, sliceMs: 1 };
    const contenders: readonly [name: string, request: IngestRequest][] = [
      [quire, 'tables'],
      ['duckdb read_json → parquet', 'duckdb'],
      ['only fetched', 'fetch'],
    ];
    const title = 'JSON messages of 6 fields by the processor time of the process, into committed segments';
    const onSlice = (index: number, count: number): void => progress(`${title}: ${Math.round((100 * index) / count)} %`);
    const entries = contenders.map(([name, request]): ComparisonEntry => {
      return { level: 'file stream', name, contender: repeated(() => ask(request)) };
    });
    const speed = await runComparison(
      { id: 'ingest-cpu', title, unit: 'rows/s', factor: 'stream', comparesLevels: false, entries },
      { ...rounds, onSlice },
    );
    progress('how fresh a table is');
    const delays: number[][] = [];
    for (let run = 0; run < (isQuick ? 1 : 10); run += 1) delays.push([await ask('freshness')]);
    const freshness = reportComparison(
      {
        id: 'ingest-freshness',
        title: 'From a message in the stream until readers see its row',
        unit: 'ms',
        factor: 'stream',
        comparesLevels: false,
      },
      [{ level: 'file stream', name: quire, rounds: delays }],
    );
    const { residentBytes } = await readProcessMemory(child.pid);
    await resetPeak(child.pid);
    await ask('tables');
    const { peakBytes } = await readProcessMemory(child.pid);
    const memory = reportComparison(
      {
        id: 'ingest-memory',
        title: 'Memory at most while it consumes as fast as it can, beyond what the process has before',
        unit: 'MB',
        factor: 'stream',
        comparesLevels: false,
      },
      [{ level: 'file stream', name: quire, rounds: [[Math.max(0, peakBytes - residentBytes) / 1e6]] }],
    );
    return { comparisons: [speed, freshness, memory], notes };
  },
};

const notes = [
  'Quire makes every message durable on the way, in chunks, runs it through the pipeline of its table, and commits one segment.',
  'DuckDB reads the file of the stream at once, on one thread, and writes Parquet with zstd.',
];
