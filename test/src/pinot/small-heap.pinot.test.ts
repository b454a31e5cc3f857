import { PinotEngine } from '@quire/engine-pinot';
import { expect, test, vi } from 'vitest';
import { PinotServer } from '../testkit/servers/pinot-server.ts';
import { describeWithTool, pinotServer } from '../testkit/toolchain.ts';
import { count, engineOptions, loadTable } from './pinot-cluster.ts';

vi.setConfig({ testTimeout: 900_000 });

/**
 * A cluster of its own takes a minute to start, and longer on old data, so these run only if the
 * variable is set.
 */
const isTried = process.env['QUIRE_PINOT_TRIALS'] !== undefined;
const [heapMb, segmentCount, segmentRowCount] = [320, 14, 40_000];
const limits = { timeoutMs: 600_000 };
const query = { sql: 'SELECT * FROM wide', isPaginated: true };

function segment(index: number): readonly object[] {
  return Array.from({ length: segmentRowCount }, (_, row) => {
    const id = index * segmentRowCount + row;
    return { id, note: `${id} `.repeat(50) };
  });
}

describeWithTool(pinotServer, 'Apache Pinot with a small heap', (folder) => {
  test.skipIf(!isTried)(
    'Apache Pinot with a small heap answers segment by segment what it cannot answer at once, and its loss is told of',
    async () => {
      await using pinot = await PinotServer.start(folder, { heapMb });
      const schema = {
        schemaName: 'wide',
        dimensionFieldSpecs: [
          { name: 'id', dataType: 'LONG' },
          { name: 'note', dataType: 'STRING' },
        ],
      };
      const segments = Array.from({ length: segmentCount }, (_, index) => segment(index));
      await loadTable(pinot.address, schema, segments, {
        tableIndexConfig: { noDictionaryColumns: ['note'] },
      });
      const all = { isUnlimited: true, brokers: [pinot.address.brokerUrl] };
      await using parts = new PinotEngine(
        engineOptions(pinot.address, { ...all, isSegmentBySegment: true }),
      );
      let rowCount = 0;
      {
        await using execution = await parts.execute(query, { limits });
        for await (const batch of execution.batches) rowCount += batch.numRows;
      }
      expect(rowCount).toBe(segmentCount * segmentRowCount);

      await using execution = await parts.execute(query, { limits });
      const reading = async (): Promise<void> => {
        let isKilled = false;
        for await (const _ of execution.batches) {
          if (isKilled) continue;
          isKilled = true;
          await pinot.process.kill();
        }
      };
      await expect(reading()).rejects.toMatchObject({ code: 'ENGINE_UNAVAILABLE' });

      await pinot.process.restart();
      await expect.poll(() => count(pinot.address, 'wide'), { timeout: 300_000 }).toBe(rowCount);
      await using whole = new PinotEngine(engineOptions(pinot.address, all));
      const readWhole = async (): Promise<void> => {
        await using answer = await whole.execute(query, { limits });
        for await (const _ of answer.batches);
      };
      await expect(readWhole()).rejects.toMatchObject({
        message: expect.stringMatching(/OutOfMemory|does not answer|heap/i),
      });
    },
  );
});
