import { join } from 'node:path';
import { request } from 'undici';
import { quire, reportComparison, runComparison } from '../measure/comparison.ts';
import { interleave, repeated } from '../measure/interleave.ts';
import type { BenchContext, Part } from '../measure/part.ts';
import { repositoryRoot } from '../process/node-arguments.ts';
import { readThreadTimes } from '../process/thread-time.ts';
import { authorization, QuireServer } from '../quire/quire-server.ts';
import { storeQuery } from '../quire/stored-query.ts';
import { timeFirstRows } from '../workers/first-rows.ts';
import { FlightReader } from './flight-reader.ts';
import { findPython, readByPython } from './python-reader.ts';

/** Rows of 38 bytes. */
const rowsSql = (rowCount: number): string =>
  `SELECT i, i + 1 AS next, i * 0.5::DOUBLE AS half, 'row ' || i AS text FROM range(${rowCount}) AS t(i)`;

/** 3 million rows. */
const flightsPath = join(repositoryRoot, 'node_modules/vega-datasets/data/flights-3m.parquet');

/** Compares Arrow Flight SQL with Arrow over HTTP, and ADBC with pinotdb. */
export const flightPart: Part = {
  name: 'flight',
  title: 'Arrow Flight SQL',
  async run(context) {
    const { isQuick, scratch, profileDirectory } = context;
    await using server = await QuireServer.start({
      settings: { 'engine.broker.flight.port': '0' },
      directory: scratch,
      tables: { flights: flightsPath },
      profileDirectory,
    });
    const python = findPython();
    return {
      comparisons: [
        await compareProcessors(context, server),
        await compareFirstBatches(context, server),
        ...(python === undefined ? [] : [await compareDrivers(context, server, python)]),
      ],
      notes: [
        `DoGet and HTTP read ${isQuick ? '2' : '200'} MB of the same result, as it is stored.`,
        ...(python === undefined
          ? ['Drivers were omitted, because the Python that .ci/run installs is missing.']
          : []),
      ],
    };
  },
};

const measuredMs = 100;

/** Measures the processor time of 200 MB in the process that serves them. */
async function compareProcessors({ isQuick, progress }: BenchContext, server: QuireServer) {
  progress('stores a result');
  const { requestId, rowCount } = await storeQuery(server, rowsSql(isQuick ? 55_000 : 5_500_000));
  await using reader = new FlightReader(await server.flightUrl);
  // Small results are read several times.
  const processorMs = (read: () => Promise<unknown>) => async (): Promise<number> => {
    const before = await readThreadTimes(server.pid);
    for (let count = 1; ; count += 1) {
      await read();
      const spentMs = (await readThreadTimes(server.pid)).allMs - before.allMs;
      if (spentMs >= measuredMs) return spentMs / count;
    }
  };
  const byHttp = async (): Promise<void> => {
    const path = `/query/${requestId}/results?offset=0&numRows=${rowCount}&format=arrow`;
    const { body } = await request(`${server.url}${path}`, { headers: { authorization } });
    for await (const _ of body);
  };
  const entries = [
    { level: 'DoGet', name: quire, read: () => reader.read(requestId) },
    { level: 'DoGet', name: 'Arrow over HTTP', read: byHttp },
  ];
  const rounds = await interleave(
    entries.map(({ read }) => repeated(processorMs(read))),
    {
      count: isQuick ? 1 : 7,
      sliceMs: isQuick ? 1 : 1000,
      onSlice: (index, count) => progress(`${index + 1} of ${count}`),
    },
  );
  return reportComparison(
    {
      id: 'flight-processor',
      title: 'Processor time of a result of 200 MB',
      unit: 'ms',
      factor: 'call',
      comparesLevels: false,
    },
    entries.map(({ level, name }, index) => ({ level, name, rounds: rounds[index] ?? [] })),
  );
}

/** Measures the time from the call to the first batch of a large query. */
async function compareFirstBatches({ isQuick, progress }: BenchContext, server: QuireServer) {
  const sql = 'SELECT * FROM flights';
  await using reader = new FlightReader(await server.flightUrl);
  return await runComparison(
    {
      id: 'flight-first-batch',
      title: 'Time from the call to the first batch of SELECT * of 3 million rows',
      unit: 'ms',
      factor: 'of',
      comparesLevels: false,
      entries: [
        { name: quire, read: () => reader.timeFirstBatch(sql) },
        { name: 'first rows over HTTP', read: () => timeFirstRows(server.url, sql) },
      ].map(({ name, read }) => ({ level: 'SELECT *', name, contender: repeated(read) })),
    },
    {
      count: isQuick ? 1 : 6,
      sliceMs: isQuick ? 1 : 1000,
      onSlice: (index, count) => progress(`first batch ${index + 1} of ${count}`),
    },
  );
}

/** Measures the time from a query to its rows in pandas. */
async function compareDrivers(
  { isQuick, progress }: BenchContext,
  server: QuireServer,
  python: string,
) {
  const rowCount = isQuick ? 1000 : 1_000_000;
  const drivers = [
    { name: quire, driver: 'adbc', url: await server.flightUrl },
    { name: 'pinotdb', driver: 'pinotdb', url: server.url },
  ] as const;
  return runComparison(
    {
      id: 'flight-pandas',
      title: 'A million rows of a query into pandas, by ADBC and by pinotdb',
      unit: 'ms',
      factor: 'rows',
      comparesLevels: false,
      entries: drivers.map(({ name, driver, url }) => ({
        level: rowCount.toLocaleString('en'),
        name,
        contender: repeated(async () => {
          const read = await readByPython(python, driver, { sql: rowsSql(rowCount), url });
          if (read.rowCount !== rowCount) throw new Error(`${name} read ${read.rowCount} rows.`);
          return read.elapsedMs;
        }),
      })),
    },
    {
      count: isQuick ? 1 : 3,
      sliceMs: 1,
      onSlice: (index, count) => progress(`driver ${index + 1} of ${count}`),
    },
  );
}
