import { expect, test } from 'vitest';
import { flightsConfig, flightsSchema, jsonLines, TestServer } from './test-server.ts';

/** The number of queries; QUIRE_CONSISTENT_QUERIES=10000 selects the long trial. */
const queryCount = Number(process.env['QUIRE_CONSISTENT_QUERIES'] ?? 60);

test(
  `a query sees all rows of one load, while loads replace each other (${queryCount} queries)`,
  { timeout: 240_000 + queryCount * 100 },
  async () => {
    await using server = await TestServer.open();
    await server.engine.createSchema(flightsSchema);
    const ingestionConfig = { batchIngestionConfig: { segmentIngestionType: 'REFRESH' } };
    await server.engine.createTable({ ...flightsConfig, ingestionConfig });
    const load = async (delay: number): Promise<void> => {
      const rows = Array.from({ length: 50 }, (_, index) => ({
        carrier: `C${index}`,
        delay,
        ts: 1_700_000_000_000 + index,
      }));
      const source = { kind: 'bytes', name: 'rows.jsonl', body: jsonLines(rows) } as const;
      await server.engine.ingest({ tableNameWithType: 'flights_OFFLINE', source, batchConfig: {} });
    };
    await load(0);
    let isDone = false;
    let loadCount = 0;
    const loads = (async () => {
      while (!isDone) await load((loadCount += 1));
    })();
    // Both halves of each query read the table: they must see the same load.
    const sql =
      'SELECT CAST(count(*) AS INTEGER) c, min(a.delay) least, max(b.delay) greatest FROM flights a JOIN flights_OFFLINE b USING (carrier)';
    let last = 0;
    try {
      for (let query = 0; query < queryCount; query += 1) {
        const [{ c, least, greatest } = {}] = await server.rows(sql);
        expect([c, least]).toEqual([50, greatest]);
        expect(least).toBeGreaterThanOrEqual(last);
        last = least as number;
      }
    } finally {
      isDone = true;
      await loads;
    }
    expect(loadCount).toBeGreaterThan(1);
  },
);
