import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MiB, systemClock } from '@quire/core';
import type { EngineFixture } from '@quire/core/conformance';
import { DuckDbEngine } from '@quire/engine-duckdb';
import { onTestFinished } from 'vitest';

const queries = {
  numbers: 'SELECT range AS n FROM range(100000)',
  noRows: 'SELECT range AS n FROM range(0)',
  endless: 'SELECT range AS n FROM range(1000000000000)',
  parameter: 'SELECT ?',
  syntaxError: 'SELECT 1 FRM t',
  missingTable: 'SELECT * FROM nothing_of_that_name',
  missingColumn: 'SELECT nothing_of_that_name FROM range(1)',
  runtimeFailure: `SELECT CAST(CASE WHEN range < 90000 THEN '1' ELSE 'x' END AS INTEGER) AS n FROM range(100000)`,
};

/** DuckDB without tables, in this process. */
export async function openDuckDb(): Promise<EngineFixture> {
  const directory = await mkdtemp(join(tmpdir(), 'quire-engine-'));
  // A case that finds a bug need not have disposed its fixture.
  onTestFinished(() => rm(directory, { recursive: true }));
  const size = { memoryMaxBytes: 256 * MiB, threads: 2, spillMaxBytes: 0 };
  const engine = await DuckDbEngine.open({
    tables: [],
    spillDirectory: directory,
    clock: systemClock,
    ...size,
  });
  return {
    engine,
    queries,
    [Symbol.asyncDispose]: async () => {
      await engine[Symbol.asyncDispose]();
    },
  };
}
