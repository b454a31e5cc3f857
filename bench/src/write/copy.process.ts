import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { argumentOfParent, serveParent } from '../process/serve-parent.ts';

export interface CopyRequest {
  readonly parquet: string;
  readonly format: 'parquet' | 'json';
}

const directory = argumentOfParent() as string;
const instance = await DuckDBInstance.create(':memory:');
const connection = await instance.connect();

serveParent(
  async (request) => {
    const { parquet, format } = request as CopyRequest;
    const path = join(directory, `copy.${format}`);
    const startMs = performance.now();
    await connection.run(`COPY (SELECT * FROM '${parquet}') TO '${path}' (FORMAT ${format})`);
    const elapsedMs = performance.now() - startMs;
    await rm(path);
    return elapsedMs;
  },
  async () => {
    connection.closeSync();
    instance.closeSync();
    await rm(directory, { recursive: true, force: true });
  },
);
