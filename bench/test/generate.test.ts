import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { TableGenerator } from '../src/data/generate.ts';

test('parts that run at the same time request the same and different tables of one generator', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'quire-generate-'));
  try {
    using tables = await TableGenerator.open(directory);
    const [one, other] = [await tables.parquet('mixed', 10), await tables.parquet('narrow', 10)];
    const first = tables.database(one);
    // It exists, so this does not wait; the next table still waits for the first one.
    expect(await Promise.race([tables.parquet('mixed', 10), first])).toBe(one);
    expect(await Promise.all([first, tables.database(other), tables.database(one)])).toEqual([
      join(directory, 'mixed-10.duckdb'),
      join(directory, 'narrow-10.duckdb'),
      join(directory, 'mixed-10.duckdb'),
    ]);
  } finally {
    await rm(directory, { recursive: true });
  }
});
