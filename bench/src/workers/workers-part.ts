import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { request } from 'undici';
import { PageLoad } from '../http/page-load.ts';
import {
  type ComparisonReport,
  quire,
  reportComparison,
  runComparison,
} from '../measure/comparison.ts';
import { repeated } from '../measure/interleave.ts';
import type { BenchContext, Part, PartOutcome } from '../measure/part.ts';
import { Child } from '../process/child.ts';
import { readFamilyMemory } from '../process/process-memory.ts';
import { authorization, QuireServer } from '../quire/quire-server.ts';
import { compareFirstRows } from './first-rows.ts';
import type { InProcessOptions } from './in-process.process.ts';

/**
 * Compares a broker whose queries run in workers with the same broker that runs them in its own
 * process.
 */
export const workersPart: Part = {
  name: 'workers',
  title: 'Queries in workers',
  async run(context): Promise<PartOutcome> {
    const { isQuick, scratch, tables, progress } = context;
    progress('prepares the tables');
    const paths = {
      small: await tables.parquet('mixed', 500),
      mixed: await tables.parquet('mixed', isQuick ? 5000 : 1_000_000),
    };
    const directory = join(scratch, 'in-process');
    await mkdir(directory);
    const options: InProcessOptions = { directory, tables: paths };
    await using alone = new Child(join(import.meta.dirname, 'in-process.process.ts'), options, {
      nodeOptions: ['--max-semi-space-size=2'],
    });
    await using server = await QuireServer.start({
      settings: {},
      directory: join(scratch, 'workers'),
      tables: paths,
    });
    const brokers = [
      { name: quire, url: server.url },
      { name: 'in process', url: (await alone.call(undefined)) as string },
    ];
    return {
      comparisons: [
        await compareQueries(context, brokers),
        await compareFirstRows(context, { url: server.url, name: 'mixed', path: paths.mixed }),
        await comparePages(context, brokers),
        await measureMemory(context, server, alone),
      ],
      notes: [
        'During the pages, two queries of a million rows each run and are stored repeatedly.',
      ],
    };
  },
};

interface Broker {
  readonly name: string;
  readonly url: string;
}

const queries = {
  'SELECT 1': 'SELECT 1',
  '500 rows': 'SELECT * FROM small',
  'a sum over 1,000,000 rows': 'SELECT count(*) FROM mixed WHERE id % 7 = 0',
  'storing 1,000,000 rows': 'SELECT * FROM mixed',
};

function compareQueries(
  { isQuick, progress }: BenchContext,
  brokers: readonly Broker[],
): Promise<ComparisonReport> {
  const entries = Object.entries(queries).flatMap(([level, sql]) =>
    brokers.map(({ name, url }) => ({
      level,
      name,
      contender: repeated(() => timeQuery(url, sql)),
    })),
  );
  const title = 'Time from the call to the first page of a stored query';
  return runComparison(
    { id: 'workers-queries', title, unit: 'ms', factor: 'query', comparesLevels: false, entries },
    {
      count: isQuick ? 1 : 4,
      sliceMs: isQuick ? 1 : 700,
      onSlice: (index, count) => progress(`${title}: ${Math.round((100 * index) / count)} %`),
    },
  );
}

const pageRowCount = 1000;

/** Compares the same pages with and without concurrent queries, in each of the brokers. */
async function comparePages(
  { isQuick, progress }: BenchContext,
  brokers: readonly Broker[],
): Promise<ComparisonReport> {
  const levels = ['idle', 'two continuous queries'] as const;
  const measured = brokers.flatMap(({ name }) =>
    levels.map((level) => ({ level, name, rounds: [] as (readonly number[])[] })),
  );
  const stored = await Promise.all(brokers.map(({ url }) => storeRows(url)));
  for (let round = 0; round < (isQuick ? 1 : 4); round += 1) {
    for (const [index, { name, url }] of brokers.entries()) {
      const targets = Array.from({ length: 50 }, (_, page) => ({
        path: `/query/${stored[index]}/results?offset=${(page * 7919) % (isQuick ? 3000 : 900_000)}&numRows=${pageRowCount}`,
        headers: { authorization },
      }));
      await using load = new PageLoad(url, targets);
      for (const level of levels) {
        progress(`pages of ${name}, ${level}: round ${round + 1}`);
        const concurrentQueries = new RepeatedQueries(url, level === 'idle' ? 0 : 2);
        const samples = await load.sample(isQuick ? 1 : 3000);
        await concurrentQueries.end();
        measured.find((each) => each.name === name && each.level === level)?.rounds.push(samples);
      }
    }
  }
  return reportComparison(
    {
      id: 'workers-pages',
      title: `A page of ${pageRowCount.toLocaleString('en')} rows while queries run`,
      unit: 'ms',
      factor: 'concurrent queries',
      comparesLevels: true,
    },
    measured,
  );
}

/** Stores and deletes queries repeatedly, until the end. */
class RepeatedQueries {
  #isOver = false;
  readonly #loops: Promise<unknown>;

  constructor(url: string, count: number) {
    const loop = async (): Promise<void> => {
      while (!this.#isOver) await timeQuery(url, queries['storing 1,000,000 rows']);
    };
    this.#loops = Promise.all(Array.from({ length: count }, loop));
  }

  async end(): Promise<void> {
    this.#isOver = true;
    await this.#loops;
  }
}

/** Measures the memory of the processes of each broker, after all of that and some rest. */
async function measureMemory(
  { isQuick, progress }: BenchContext,
  server: QuireServer,
  alone: Child,
): Promise<ComparisonReport> {
  progress('lets both rest');
  await setTimeout(isQuick ? 1 : 5000);
  const measured = await Promise.all(
    [
      { name: quire, pid: server.pid },
      { name: 'in process', pid: alone.pid },
    ].map(async ({ name, pid }) => {
      const megabytes = (await readFamilyMemory(pid)) / 1_000_000;
      return { level: 'all processes', name, rounds: [[megabytes]] };
    }),
  );
  return reportComparison(
    {
      id: 'workers-memory',
      title: 'Resident memory after the work',
      unit: 'MB',
      factor: 'of',
      comparesLevels: false,
    },
    measured,
  );
}

async function timeQuery(url: string, sql: string): Promise<number> {
  const startMs = performance.now();
  const requestId = await runQuery(url, sql);
  const elapsedMs = performance.now() - startMs;
  const { body } = await request(`${url}/query/resultStore/${requestId}`, {
    method: 'DELETE',
    headers: { authorization },
  });
  await body.dump();
  return elapsedMs;
}

function storeRows(url: string): Promise<string> {
  return runQuery(url, queries['storing 1,000,000 rows']);
}

/** @throws Error when the response to the query is not a result */
async function runQuery(url: string, sql: string): Promise<string> {
  const { body } = await request(`${url}/query/sql?doPaginate=true&numRows=10`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ sql }),
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  const answer = (await body.json()) as {
    readonly requestId: string;
    readonly exceptions: readonly unknown[];
  };
  if (answer.exceptions.length > 0) {
    throw new Error(`${sql} failed: ${JSON.stringify(answer.exceptions)}`);
  }
  return answer.requestId;
}
