import { quire, reportComparison } from '../measure/comparison.ts';
import type { Part } from '../measure/part.ts';
import { PageReader } from '../http/page-reader.ts';
import { profileArguments } from '../process/node-arguments.ts';
import { readProcessMemory } from '../process/process-memory.ts';
import { command, QuireServer } from '../quire/quire-server.ts';
import { pageOf, storeQuery } from '../quire/stored-query.ts';
import { missingServerNote, s3Settings, startS3 } from './bucket-servers.ts';

const heapMegabytes = 1024;
const bytesPerMegabyte = 1_000_000;
/** Ten columns of 8 bytes that do not compress. */
const rowBytes = 80;

/**
 * Stores a result of 5 GB in S3 with a broker whose heap is limited to 1 GB: measures the duration,
 * and the memory during it.
 */
export const remoteLargePart: Part = {
  name: 'remote-large',
  title: 'A result of 5 GB in S3',
  isOnRequest: true,
  async run({ isQuick, scratch, profileDirectory, progress }) {
    await using s3 = await startS3();
    if (s3 === undefined) return { comparisons: [], notes: [missingServerNote] };
    const program = [
      `--max-old-space-size=${heapMegabytes}`,
      '--max-semi-space-size=2',
      ...profileArguments(profileDirectory),
      command,
    ];
    await using server = await QuireServer.start({
      settings: s3Settings(s3),
      directory: scratch,
      tables: {},
      program,
    });
    const { residentBytes } = await readProcessMemory(server.pid);
    const rowCount = Math.ceil(((isQuick ? 0.05 : 5) * 1e9) / rowBytes);
    progress(`stores ${rowCount.toLocaleString('en')} rows`);
    const columns = Array.from(
      { length: 10 },
      (_, index) => `CAST(hash(i * 16 + ${index}) >> 1 AS BIGINT) AS c${index}`,
    );
    const startMs = performance.now();
    const stored = await storeQuery(
      server,
      `SELECT ${columns.join(', ')} FROM range(${rowCount}) AS t(i)`,
    );
    const elapsedMs = performance.now() - startMs;
    const { peakBytes } = await readProcessMemory(server.pid);
    progress('reads its last page');
    await using reader = new PageReader(server.url);
    await reader.read(pageOf(stored, stored.rowCount - 10_000, 10_000));
    const figure = (
      id: string,
      title: string,
      unit: 'MB' | 'MB/s',
      levels: Readonly<Record<string, number>>,
    ) =>
      reportComparison(
        { id, title, unit, factor: 'when', comparesLevels: false },
        Object.entries(levels).map(([level, value]) => ({ level, name: quire, rounds: [[value]] })),
      );
    return {
      comparisons: [
        figure(
          'remote-large-memory',
          `Resident memory, with a heap of ${heapMegabytes} MB at most`,
          'MB',
          {
            'at rest': residentBytes / bytesPerMegabyte,
            'the most while storing': peakBytes / bytesPerMegabyte,
          },
        ),
        figure('remote-large-rate', 'Storing', 'MB/s', {
          'from the query to its answer': (rowCount * rowBytes) / 1e3 / elapsedMs,
        }),
      ],
      notes: [
        `${rowCount.toLocaleString('en')} rows of ${rowBytes} bytes in ${Math.round(elapsedMs / 1000)} s.`,
      ],
    };
  },
};
