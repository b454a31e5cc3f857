import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import duckdb, { type Connection, type Result } from '@duckdb/node-bindings';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

/* The undocumented behavior of DuckDB's bindings on which the engine relies. */

let database: duckdb.Database;
let connection: Connection;
beforeAll(async () => {
  database = await duckdb.open(':memory:', duckdb.create_config());
  connection = await duckdb.connect(database);
});
afterAll(() => {
  duckdb.disconnect_sync(connection);
  duckdb.close_sync(database);
});

async function stream(sql: string): Promise<{ result: Result; rowCount: number }> {
  const result = await duckdb.execute_prepared_streaming(await duckdb.prepare(connection, sql));
  let rowCount = 0;
  for (;;) {
    const chunk = await duckdb.fetch_chunk(result);
    const size = chunk === null ? 0 : duckdb.data_chunk_get_size(chunk);
    if (size === 0) return { result, rowCount };
    rowCount += size;
  }
}

describe('the bindings', () => {
  test('the bindings hand out vector memory as copies that are aligned and belong to the caller', async () => {
    const result = await duckdb.query(
      connection,
      `SELECT 'a text that is not stored inline' FROM range(10)`,
    );
    const chunk = await duckdb.fetch_chunk(result);
    const vector = duckdb.data_chunk_get_vector(chunk!, 0);
    const first = duckdb.vector_get_data(vector, 160);
    const second = duckdb.vector_get_data(vector, 160);
    const expected = Buffer.from(second);
    const text = duckdb.get_data_from_pointer(
      first.buffer as ArrayBuffer,
      first.byteOffset + 8,
      32,
    );
    first.fill(0);

    expect(Buffer.from(second)).toEqual(expected);
    expect(first.byteOffset % 8).toBe(0);
    expect(Buffer.from(text).toString()).toBe('a text that is not stored inline');
  });

  test('the bindings end a stream that fails like one that is complete, but with another result type', async () => {
    const complete = await stream('SELECT i FROM range(1000000) AS t(i)');
    const failed = await stream(
      `SELECT CASE WHEN i = 1000000 THEN error('on purpose') ELSE i END FROM range(2000000) AS t(i)`,
    );

    expect(complete.rowCount).toBe(1_000_000);
    expect(duckdb.result_return_type(complete.result)).toBe(duckdb.ResultType.QUERY_RESULT);
    expect(failed.rowCount).toBeLessThan(1_000_000);
    expect(duckdb.result_return_type(failed.result)).toBe(duckdb.ResultType.INVALID);
  });

  test('the bindings compute rows before they are fetched, up to streaming_buffer_size', async () => {
    const observer = await duckdb.connect(database);
    /** Returns the number of rows that exist when the first ones have been fetched. */
    const rowsAhead = async (setting: string): Promise<number> => {
      await duckdb.query(connection, 'CREATE OR REPLACE SEQUENCE computed');
      await duckdb.query(connection, setting);
      const sql = `SELECT nextval('computed') AS n, 1 AS one FROM range(1000000)`;
      const result = await duckdb.execute_prepared_streaming(await duckdb.prepare(connection, sql));
      await duckdb.fetch_chunk(result);
      const count = await duckdb.query(observer, 'SELECT last_value FROM duckdb_sequences()');
      const chunk = await duckdb.fetch_chunk(count);
      const bytes = duckdb.vector_get_data(duckdb.data_chunk_get_vector(chunk!, 0), 8);
      return Number(new DataView(bytes.buffer, bytes.byteOffset).getBigInt64(0, true));
    };
    const chunkRows = 2048;
    const chunkBytes = chunkRows * (8 + 8);

    expect(
      await rowsAhead(`SET SESSION streaming_buffer_size = '${2 * chunkBytes}B'`),
    ).toBeLessThanOrEqual(4 * chunkRows);
    expect(await rowsAhead('RESET SESSION streaming_buffer_size')).toBeGreaterThan(20 * chunkRows);
    duckdb.disconnect_sync(observer);
  });

  // DuckDB has an allocator of its own on Linux only.
  test.skipIf(process.platform !== 'linux')(
    'the bindings read the number of arenas from DUCKDB_JE_MALLOC_CONF, as the server sets it',
    async () => {
      const load = ['--input-type=module', '--eval', `import '@duckdb/node-bindings'`];
      const messageOf = async (conf: string): Promise<string> => {
        const env = { ...process.env, DUCKDB_JE_MALLOC_CONF: conf };
        const { stderr } = await promisify(execFile)(process.execPath, load, {
          cwd: import.meta.dirname,
          env,
        });
        return stderr;
      };
      expect(await messageOf('narenas:none')).toBe(
        '<jemalloc>: Invalid conf value: narenas:none\n',
      );
      expect(await messageOf('narenas:1')).toBe('');
    },
  );
});
