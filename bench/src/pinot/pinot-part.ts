import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { request } from 'undici';
import { type PinotAddress, PinotServer } from '../../../test/src/testkit/servers/pinot-server.ts';
import { PageReader, type PageTarget } from '../http/page-reader.ts';
import {
  type ComparisonEntry,
  quire,
  reportComparison,
  runComparison,
} from '../measure/comparison.ts';
import { repeated } from '../measure/interleave.ts';
import type { Part } from '../measure/part.ts';
import { repositoryRoot } from '../process/node-arguments.ts';
import { readFamilyPeak, readProcessMemory } from '../process/process-memory.ts';
import { QuireServer } from '../quire/quire-server.ts';
import { pageOf, storeQuery } from '../quire/stored-query.ts';
import { loadEvents } from './load-events.ts';

const cursors = 'Apache Pinot cursors';
const pageRowCount = 10_000;
const heapMegabytes = 3_000;
const missingNote = 'Apache Pinot is not installed here: .ci/run does that, where it can be had.';

/**
 * Pages of results over one table of a real Apache Pinot: its own cursors, beside Quire that asks
 * it and keeps the answers.
 */
export const pinotPart: Part = {
  name: 'pinot',
  title: "Pages of results on Apache Pinot, beside Pinot's own cursors",
  isOnRequest: true,
  async run({ isQuick, scratch, profileDirectory, progress }) {
    const folder = process.env['QUIRE_PINOT'] ?? join(repositoryRoot, '.cache/pinot');
    if (!existsSync(join(folder, 'classes'))) return { comparisons: [], notes: [missingNote] };
    const rowCounts = isQuick ? [10_000, 20_000] : [100_000, 1_000_000, 3_000_000];
    progress('starts Apache Pinot');
    await using pinot = await PinotServer.start(folder, {
      heapMb: heapMegabytes,
      isOptimizing: true,
    });
    progress('loads rows');
    await loadEvents(pinot.address, Math.max(...rowCounts));
    await using server = await startQuire(pinot.address, scratch, profileDirectory);
    const { residentBytes } = await readProcessMemory(server.pid);
    await using ours = new PageReader(server.url);
    await using theirs = new PageReader(pinot.address.brokerUrl);
    const [pages, stores]: [ComparisonEntry[], Parameters<typeof reportComparison>[1][number][]] = [
      [],
      [],
    ];
    const failures: string[] = [];
    for (const rowCount of rowCounts) {
      progress(`stores ${rowCount.toLocaleString('en')} rows`);
      const sql = `SELECT * FROM events LIMIT ${rowCount}`;
      const level = `${rowCount.toLocaleString('en')} rows`;
      const [stored, ourMs] = await timed(() => storeQuery(server, sql));
      stores.push({ level, name: quire, rounds: [[ourMs]] });
      const [cursor, theirMs] = await timed(() => openCursor(pinot.address, sql).catch(String));
      const isOpen = /^\d+$/.test(cursor);
      if (isOpen) stores.push({ level, name: cursors, rounds: [[theirMs]] });
      else failures.push(`Pinot's own cursor failed with ${level}: ${cursor.slice(0, 300)}`);
      const offsets = { first: 0, middle: Math.floor(rowCount / 2), last: rowCount - pageRowCount };
      for (const [place, offset] of Object.entries(offsets)) {
        const target: PageTarget = {
          path: `/responseStore/${cursor}/results?offset=${offset}&numRows=${pageRowCount}`,
          headers: { authorization: pinot.address.authorization },
        };
        const at = `${level}, ${place}`;
        pages.push({
          level: at,
          name: quire,
          contender: reading(ours, pageOf(stored, offset, pageRowCount)),
        });
        if (isOpen) pages.push({ level: at, name: cursors, contender: reading(theirs, target) });
      }
    }
    progress('reads pages');
    const read = await runComparison(
      {
        id: 'pinot-pages',
        title: `A page of ${pageRowCount} rows`,
        unit: 'ms',
        factor: 'result, page',
        comparesLevels: true,
        entries: pages,
      },
      { count: isQuick ? 1 : 5, sliceMs: isQuick ? 50 : 600 },
    );
    const peakBytes = await readFamilyPeak(server.pid);
    const store = {
      id: 'pinot-store',
      title: 'From the query to its first row, the result stored',
      unit: 'ms',
      factor: 'result',
    } as const;
    return {
      comparisons: [read, reportComparison({ ...store, comparesLevels: true }, stores)],
      notes: [
        `Apache Pinot 1.5.1 with a heap of ${heapMegabytes} MB, all roles in one process; where Maven lacks its jars, from our own build.`,
        `Quire's broker had ${megabytes(residentBytes)} MB resident at rest; it and its processes for queries had ${megabytes(peakBytes)} MB at the most, all together.`,
        ...failures,
      ],
    };
  },
};

function startQuire(
  pinot: PinotAddress,
  directory: string,
  profileDirectory: string | undefined,
): Promise<QuireServer> {
  const settings = {
    'engine.kind': 'pinot',
    'engine.pinot.controller.url': pinot.controllerUrl,
    'engine.pinot.auth.token': pinot.authorization,
  };
  return QuireServer.start({ settings, directory, tables: {}, profileDirectory });
}

function reading(reader: PageReader, target: PageTarget) {
  return repeated(async () => (await timed(() => reader.read(target)))[1]);
}

async function timed<T>(task: () => Promise<T>): Promise<readonly [T, number]> {
  const startMs = performance.now();
  const result = await task();
  return [result, performance.now() - startMs];
}

/** Runs a query with a cursor of Apache Pinot's own; gives its id. */
async function openCursor(
  { brokerUrl, authorization }: PinotAddress,
  sql: string,
): Promise<string> {
  const { body } = await request(`${brokerUrl}/query/sql?getCursor=true&numRows=1`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ sql, queryOptions: 'timeoutMs=600000' }),
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  const text = await body.text();
  const { requestId, exceptions } = JSON.parse(text) as {
    requestId?: string;
    exceptions: readonly unknown[];
  };
  if (requestId === undefined || exceptions.length > 0) {
    throw new Error(`${sql} was answered with ${text.slice(0, 2000)}`);
  }
  return requestId;
}

function megabytes(bytes: number): number {
  return Math.round(bytes / 1e6);
}
