import { DuckDBInstance } from '@duckdb/node-api';
import { request } from 'undici';
import { type ComparisonReport, quire, runComparison } from '../measure/comparison.ts';
import { repeated } from '../measure/interleave.ts';
import type { BenchContext } from '../measure/part.ts';
import { authorization } from '../quire/quire-server.ts';

const rowCount = 1000;
const title = 'Time from the call to the first rows of a large query';

/**
 * Measures the time to the first rows of `SELECT *` of a table with `async=true`; compared with
 * DuckDB's own first chunk of the same file.
 */
export async function compareFirstRows(
  { isQuick, progress }: BenchContext,
  { url, name, path }: { readonly url: string; readonly name: string; readonly path: string },
): Promise<ComparisonReport> {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  const ofDuckDb = async (): Promise<number> => {
    const startMs = performance.now();
    const answer = await connection.stream(`SELECT * FROM read_parquet('${path}')`);
    await answer.fetchChunk();
    return performance.now() - startMs;
  };
  try {
    return await runComparison(
      {
        id: 'workers-first-rows',
        title,
        unit: 'ms',
        factor: 'of',
        comparesLevels: false,
        entries: [
          {
            level: 'SELECT *',
            name: quire,
            contender: repeated(() => timeFirstRows(url, `SELECT * FROM ${name}`)),
          },
          { level: 'SELECT *', name: 'duckdb, first chunk', contender: repeated(ofDuckDb) },
        ],
      },
      {
        count: isQuick ? 1 : 6,
        sliceMs: isQuick ? 1 : 500,
        onSlice: (index, count) => progress(`${title}: ${Math.round((100 * index) / count)} %`),
      },
    );
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

/** Measures a query by HTTP up to its first rows. It is then cancelled, which is not measured. */
export async function timeFirstRows(url: string, sql: string): Promise<number> {
  const startMs = performance.now();
  const { body } = await request(
    `${url}/query/sql?doPaginate=true&async=true&numRows=${rowCount}`,
    {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ sql }),
    },
  );
  const { requestId, numRows } = (await body.json()) as {
    readonly requestId: string;
    readonly numRows: number;
  };
  const elapsedMs = performance.now() - startMs;
  if (numRows < 1) throw new Error(`${sql} was answered without rows.`);
  for (const path of [`/query/${requestId}`, `/query/resultStore/${requestId}`]) {
    const ended = await request(`${url}${path}`, { method: 'DELETE', headers: { authorization } });
    await ended.body.dump();
  }
  return elapsedMs;
}
