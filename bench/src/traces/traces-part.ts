import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { runInSpan, startSpan, traced, tracedSync } from '@quire/core/trace';
import { MeasuredLoad } from '../http/measured-load.ts';
import { PageLoad } from '../http/page-load.ts';
import { pageOffsets } from '../http/page-offsets.ts';
import { quire, reportComparison, runComparison } from '../measure/comparison.ts';
import { interleave, repeated, type Rounds } from '../measure/interleave.ts';
import type { BenchContext, Part } from '../measure/part.ts';
import { QuireServer } from '../quire/quire-server.ts';
import { pageOf, storeQuery } from '../quire/stored-query.ts';

const rowCounts = [1, 1000, 10_000];
const pagesPerSample = 20_000;

/** The cost of traces: of their calls while they are off, and of pages while they are on. */
export const tracesPart: Part = {
  name: 'traces',
  title: 'Traces of pages',
  isOnRequest: true,
  async run(context) {
    const { isQuick, progress } = context;
    progress('calls while traces are off');
    const calls = await compareCalls({ count: isQuick ? 1 : 7, sliceMs: isQuick ? 5 : 300 });
    return { comparisons: [calls, await comparePages(context)], notes: [] };
  },
};

/** Compares the calls that a page makes of the tracer with the same work without them. */
function compareCalls(rounds: Rounds) {
  const level = 'a page';
  return runComparison(
    {
      id: 'trace-calls',
      title: 'Calls of the tracer for a page, while traces are off',
      unit: 'ns',
      factor: 'work',
      comparesLevels: false,
      entries: [
        { level, name: quire, contender: timed(tracedPage) },
        { level, name: 'no tracer', contender: timed(untracedPage) },
      ],
    },
    rounds,
  );
}

let work = 0;
const step = (): number => (work += 1);
const stepLater = async (): Promise<number> => (work += 1);

/** Makes the calls of a small page: one span for the request, four within it. */
async function tracedPage(): Promise<void> {
  const span = startSpan('GET', { kind: 'server', parent: null });
  await runInSpan(span, async () => {
    for (const name of ['page.plan', 'page.read', 'page.encode']) tracedSync(name, step);
    await traced('page.send', stepLater);
  });
  span?.end();
}

async function untracedPage(): Promise<void> {
  await (async () => {
    for (let index = 0; index < 3; index += 1) step();
    await stepLater();
  })();
}

function timed(page: () => Promise<void>) {
  return repeated(async () => {
    const startMs = performance.now();
    for (let index = 0; index < pagesPerSample; index += 1) await page();
    return ((performance.now() - startMs) * 1e6) / pagesPerSample;
  });
}

/** Compares the processor time of pages of a server without traces and of one that exports all. */
async function comparePages({ isQuick, scratch, tables, progress }: BenchContext) {
  const path = await tables.parquet('mixed', isQuick ? 20_000 : 1_000_000);
  await using resources = new AsyncDisposableStack();
  const collector = createServer((request, response) => {
    request.resume().on('end', () => response.end());
  });
  resources.defer(() => {
    collector.close();
    collector.closeAllConnections();
  });
  await once(collector.listen(0, '127.0.0.1'), 'listening');
  const endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
  const serve = async (name: string, variables: Readonly<Record<string, string>>) => {
    progress(`prepares the server with ${name}`);
    const directory = join(scratch, name.replace(' ', '-'));
    const server = await QuireServer.start({
      settings: {},
      variables,
      directory,
      tables: { mixed: path },
    });
    resources.use(server);
    return { name, pid: server.pid, stored: await storeQuery(server, 'SELECT * FROM mixed') };
  };
  const servers = [
    await serve(quire, {}),
    await serve('traces exported', { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }),
  ];
  const entries = rowCounts.flatMap((rowCount) =>
    servers.map(({ name, pid, stored }) => {
      const targets = pageOffsets('random', stored.rowCount, rowCount).map((offset) =>
        pageOf(stored, offset, rowCount),
      );
      const pages = resources.use(new PageLoad(stored.server.url, targets));
      return {
        level: rowCount === 1 ? '1 row' : `${rowCount} rows`,
        name,
        load: new MeasuredLoad(pages, [pid]),
      };
    }),
  );
  await interleave(
    entries.map(({ load }) => load),
    {
      count: isQuick ? 1 : 5,
      sliceMs: isQuick ? 50 : 2000,
      onSlice: (index, count) => progress(`pages, ${index + 1} of ${count}`),
    },
  );
  return reportComparison(
    {
      id: 'trace-pages',
      title: 'Processor time of a page without traces, and with all of them exported',
      unit: 'ms',
      factor: 'page',
      comparesLevels: false,
    },
    entries.map(({ level, name, load }) => ({
      level,
      name,
      rounds: load.rounds.map(({ processorMsPerPage }) => [...processorMsPerPage]),
    })),
  );
}
