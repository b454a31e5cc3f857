import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { request } from 'undici';
import { PageLoad } from '../http/page-load.ts';
import { pageOffsets } from '../http/page-offsets.ts';
import { type ComparisonReport, quire, reportComparison } from '../measure/comparison.ts';
import type { BenchContext } from '../measure/part.ts';
import { authorization, QuireServer } from '../quire/quire-server.ts';
import { pageOf, storeQuery } from '../quire/stored-query.ts';
import { makeExpiredResults } from './make-results.ts';

const pageRowCount = 10_000;

/** What the readers of a broker feel of it while it deletes many expired results. */
export async function measurePagesWhileDeleting(context: BenchContext): Promise<ComparisonReport> {
  const { isQuick, scratch, tables, profileDirectory, progress } = context;
  const expiredCount = isQuick ? 50 : 10_000;
  progress(`makes ${expiredCount} results for a server to delete`);
  const directory = join(scratch, 'server');
  const root = join(directory, 'results');
  await mkdir(root, { recursive: true });
  // The id of a broker of the benchmark: it asks for any free port.
  await makeExpiredResults({ root, brokerId: 'Broker_127.0.0.1_0' }, expiredCount);
  const path = await tables.parquet('mixed', isQuick ? 20_000 : 1_000_000);
  await using server = await QuireServer.start({ settings: {}, directory, tables: { mixed: path }, profileDirectory });
  const stored = await storeQuery(server, 'SELECT * FROM mixed');
  const targets = pageOffsets('random', stored.rowCount, pageRowCount).map((offset) => pageOf(stored, offset, pageRowCount));
  await using load = new PageLoad(server.url, targets);
  await load.sample(isQuick ? 20 : 1000);
  progress('reads pages of a server that does nothing else');
  const idle = await load.sample(isQuick ? 20 : 3000);
  progress('reads pages of a server that deletes');
  const meanwhile: number[] = [];
  let isDeleting = true;
  const deleting = deleteExpired(server, expiredCount).finally(() => {
    isDeleting = false;
  });
  do meanwhile.push(...(await load.sample(10)));
  while (isDeleting);
  await deleting;
  return reportComparison(
    {
      id: 'sweep-pages',
      title: `Pages of 10,000 rows, read while ${expiredCount.toLocaleString('en')} expired results are deleted`,
      unit: 'ms',
      factor: 'meanwhile',
      comparesLevels: true,
    },
    [
      { level: 'nothing', name: quire, rounds: [idle] },
      { level: 'deleting', name: quire, rounds: [meanwhile] },
    ],
  );
}

async function deleteExpired(server: QuireServer, expectedCount: number): Promise<void> {
  const { statusCode, body } = await request(`${server.url}/query/resultStore`, { method: 'DELETE', headers: { authorization } });
  const text = await body.text();
  if (statusCode !== 200 || !text.includes(` ${expectedCount} `)) {
    throw new Error(`Deleting what has expired was answered with status ${statusCode}: ${text}`);
  }
}
