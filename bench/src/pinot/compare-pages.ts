import type { PinotAddress } from '../../../test/src/testkit/servers/pinot-server.ts';
import { PageReader, type PageTarget } from '../http/page-reader.ts';
import {
  type ComparisonEntry,
  type ComparisonReport,
  quire,
  runComparison,
} from '../measure/comparison.ts';
import { repeated } from '../measure/interleave.ts';
import type { PartOutcome, BenchContext } from '../measure/part.ts';
import type { QuireServer } from '../quire/quire-server.ts';
import { pageOf, storeQuery } from '../quire/stored-query.ts';
import { openCursor } from './ask-pinot.ts';
import { cursors } from './compare-stores.ts';

const pageRowCount = 10_000;

/** Compares pages of results of so many rows, Quire's and those of the cluster's own cursors. */
export async function comparePages(
  { isQuick, progress }: Pick<BenchContext, 'isQuick' | 'progress'>,
  pinot: PinotAddress,
  server: QuireServer,
  rowCounts: readonly number[],
): Promise<PartOutcome> {
  await using ours = new PageReader(server.url);
  await using theirs = new PageReader(pinot.brokerUrl);
  const [entries, notes]: [ComparisonEntry[], string[]] = [[], []];
  for (const rowCount of rowCounts) {
    const level = `${rowCount.toLocaleString('en')} rows`;
    progress(`stores ${level}`);
    const sql = `SELECT * FROM events LIMIT ${rowCount}`;
    const stored = await storeQuery(server, sql);
    const cursor = await openCursor(pinot, sql).catch(String);
    const isOpen = /^\d+$/.test(cursor);
    if (!isOpen) notes.push(`Pinot's own cursor failed with ${level}: ${cursor.slice(0, 300)}`);
    const offsets = { first: 0, middle: Math.floor(rowCount / 2), last: rowCount - pageRowCount };
    for (const [place, offset] of Object.entries(offsets)) {
      const target: PageTarget = {
        path: `/responseStore/${cursor}/results?offset=${offset}&numRows=${pageRowCount}`,
        headers: { authorization: pinot.authorization },
      };
      const at = `${level}, ${place}`;
      const own = reading(ours, pageOf(stored, offset, pageRowCount));
      entries.push({ level: at, name: quire, contender: own });
      if (isOpen) entries.push({ level: at, name: cursors, contender: reading(theirs, target) });
    }
  }
  progress('reads pages');
  const report: ComparisonReport = await runComparison(
    {
      id: 'pinot-pages',
      title: `A page of ${pageRowCount} rows`,
      unit: 'ms',
      factor: 'result, page',
      comparesLevels: true,
      entries,
    },
    { count: isQuick ? 1 : 5, sliceMs: isQuick ? 50 : 600 },
  );
  return { comparisons: [report], notes };
}

function reading(reader: PageReader, target: PageTarget) {
  return repeated(async () => {
    const startMs = performance.now();
    await reader.read(target);
    return performance.now() - startMs;
  });
}
