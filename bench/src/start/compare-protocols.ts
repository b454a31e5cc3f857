import { join } from 'node:path';
import { type ComparisonReport, quire, reportComparison } from '../measure/comparison.ts';
import type { BenchContext, PartOutcome } from '../measure/part.ts';
import {
  type BucketSettings,
  gcsSettings,
  missingServerNote,
  s3Settings,
  startGcs,
  startS3,
} from '../remote/bucket-servers.ts';
import { measureStart, type Start } from './measure-start.ts';

/**
 * Measures the start of servers with each kind of store: the SDK of a remote store costs time and
 * memory only in servers that use it.
 */
export async function compareProtocols(
  { isQuick, scratch, progress }: Pick<BenchContext, 'isQuick' | 'scratch' | 'progress'>,
  tables: Readonly<Record<string, string>>,
): Promise<PartOutcome> {
  await using s3 = await startS3();
  await using gcs = await startGcs();
  const protocols: Record<string, BucketSettings> = {
    memory: { 'engine.broker.pagination.protocol': 'memory' },
    file: {},
    ...(s3 !== undefined && { s3: s3Settings(s3) }),
    ...(gcs !== undefined && { gcs: gcsSettings(gcs) }),
  };
  const starts = new Map<string, Start[]>(Object.keys(protocols).map((protocol) => [protocol, []]));
  for (let round = 0; round < (isQuick ? 1 : 4); round += 1) {
    for (const [protocol, settings] of Object.entries(protocols)) {
      progress(`starts with results in ${protocol}`);
      const directory = join(scratch, `${protocol}-${round}`);
      const options = { settings, directory, tables };
      starts.get(protocol)?.push(await measureStart(options, isQuick ? 100 : 700));
    }
  }
  const report = (
    id: string,
    title: string,
    unit: 'ms' | 'MB',
    valueOf: (start: Start) => number,
  ): ComparisonReport =>
    reportComparison(
      { id, title, unit, factor: 'results in', comparesLevels: true },
      [...starts].map(([level, all]) => ({
        level,
        name: quire,
        rounds: all.map((start) => [valueOf(start)]),
      })),
    );
  return {
    comparisons: [
      report(
        'start-protocol-time',
        'Time until it listens, by store',
        'ms',
        ({ elapsedMs }) => elapsedMs,
      ),
      report(
        'start-protocol-memory',
        'Resident memory when idle, by store',
        'MB',
        ({ megabytes }) => megabytes,
      ),
    ],
    notes: s3 === undefined || gcs === undefined ? [missingServerNote] : [],
  };
}
