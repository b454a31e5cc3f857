import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MiB, systemClock } from '@quire/core';
import { describeQueryEngine, type EngineFixture } from '@quire/core/conformance';
import { DuckDbEngine } from '@quire/engine-duckdb';
import { vi } from 'vitest';

vi.setConfig({ testTimeout: 120_000 });

const queries = {
  numbers: 'SELECT range AS n FROM range(100000)',
  noRows: 'SELECT range AS n FROM range(0)',
  endless: 'SELECT range AS n FROM range(1000000000000)',
  parameter: 'SELECT ?',
  syntaxError: 'SELECT 1 FRM t',
  missingTable: 'SELECT * FROM nothing_of_that_name',
};

async function openEngine(): Promise<EngineFixture> {
  const directory = await mkdtemp(join(tmpdir(), 'quire-engine-'));
  const size = { memoryMaxBytes: 256 * MiB, threads: 2, spillMaxBytes: 0 };
  const engine = await DuckDbEngine.open({ tables: [], spillDirectory: directory, clock: systemClock, ...size });
  return {
    engine,
    queries,
    [Symbol.asyncDispose]: async () => {
      await engine[Symbol.asyncDispose]();
      await rm(directory, { recursive: true });
    },
  };
}

describeQueryEngine('DuckDB', openEngine);
