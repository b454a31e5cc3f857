import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { MiB, readObject, systemClock } from '@quire/core';
import { DuckDbEngine } from '@quire/engine-duckdb';
import { ResultStore, storeInProcess } from '@quire/results';
import { MemoryObjectStore } from '@quire/core/memory';
import { expect, test } from 'vitest';
import { describeWithTool, python } from '../testkit/toolchain.ts';

const run = promisify(execFile);

const write = `
import sys, uuid
import pyarrow as pa, pyarrow.parquet as pq
ms = 1717243200123
ids = pa.ExtensionArray.from_storage(pa.uuid(), pa.array([uuid.UUID(int=1).bytes, None], pa.binary(16)))
pq.write_table(pa.table({
    'zoned': pa.array([ms, None], pa.timestamp('ms', tz='Europe/Berlin')),
    'zonedMicros': pa.array([ms * 1000 + 1, None], pa.timestamp('us', tz='America/New_York')),
    'millis': pa.array([ms, None], pa.timestamp('ms')),
    'nanos': pa.array([ms * 1000000 + 1, None], pa.timestamp('ns')),
    'fixed': pa.array([b'ab\\0', None], pa.binary(3)),
    'id': ids,
    'unsigned': pa.array([65535, None], pa.uint16()),
    'word': pa.array(['x', None]).dictionary_encode(),
    'large': pa.array(['y', None], pa.large_string()),
}), sys.argv[1])
`;

const read = `
import json, sys
import pyarrow as pa
table = pa.ipc.open_file(sys.argv[1]).read_all()
values = lambda column: [str(value) for value in column.cast(pa.int64()).to_pylist()] if pa.types.is_timestamp(column.type) else [str(value) for value in column.to_pylist()]
print(json.dumps([[field.name, str(field.type), *values(table[field.name])] for field in table.schema]))
`;

describeWithTool(python, 'The types of a file of pyarrow', (pythonPath) => {
  test('The types of a file of pyarrow are in a data file as the README of the engine says, and no value changes', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'quire-types-'));
    try {
      const [parquet, arrow] = [join(folder, 't.parquet'), join(folder, 't.arrow')];
      await run(pythonPath, ['-c', write, parquet]);
      await using engine = await DuckDbEngine.open({
        tables: [{ name: 't', path: parquet, format: 'auto' }],
        memoryMaxBytes: 256 * MiB,
        threads: 1,
        spillDirectory: join(folder, 'spill'),
        spillMaxBytes: 0,
        clock: systemClock,
      });
      await using store = new MemoryObjectStore({ sizeMaxBytes: 1e7 });
      const results = new ResultStore({
        store,
        brokerId: 'b',
        expirationMs: 1e9,
        expirationMaxMs: 1e9,
      });
      const storing = storeInProcess(engine, results);
      const { entry } = await storing.store(
        { sql: 'FROM t' },
        { owner: 'o', limits: { timeoutMs: 60_000 } },
      );
      await writeFile(arrow, await readObject(store, entry.dataKey));
      const { stdout } = await run(pythonPath, ['-c', read, arrow]);
      expect(JSON.parse(stdout)).toEqual([
        // The zone of the file is lost, the instant is the same.
        ['zoned', 'timestamp[us, tz=UTC]', '1717243200123000', 'None'],
        ['zonedMicros', 'timestamp[us, tz=UTC]', '1717243200123001', 'None'],
        ['millis', 'timestamp[us]', '1717243200123000', 'None'],
        ['nanos', 'timestamp[ns]', '1717243200123000001', 'None'],
        ['fixed', 'binary', "b'ab\\x00'", 'None'],
        ['id', 'extension<arrow.uuid>', '00000000-0000-0000-0000-000000000001', 'None'],
        ['unsigned', 'uint16', '65535', 'None'],
        ['word', 'string', 'x', 'None'],
        ['large', 'string', 'y', 'None'],
      ]);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
