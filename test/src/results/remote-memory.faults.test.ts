import { readFile } from 'node:fs/promises';
import { QuireClient } from '@quire/client';
import { expect, test } from 'vitest';
import {
  CliProcess,
  propertiesOf,
  temporaryDirectory,
  testVariables,
  writeSettings,
} from '../testkit/cli-process.ts';
import { S3Server, s3SettingsOf } from '../testkit/servers/s3-server.ts';
import { describeWithTool, s3Server } from '../testkit/toolchain.ts';

const MB = 1_000_000;
/**
 * The long run: `QUIRE_LARGE_RESULT_MB=5000 QUIRE_HEAP_MB=1024 npx vitest run
 * test/src/results/remote-memory.faults`; or `npm run bench -- remote-large`.
 */
const resultMegabytes = Number(process.env['QUIRE_LARGE_RESULT_MB'] ?? 300);
const heapMegabytes = Number(process.env['QUIRE_HEAP_MB'] ?? 64);
/** Ten columns of 8 bytes that do not compress. */
const rowBytes = 80;

/**
 * Returns the memory of a process as Linux reports it, in megabytes: current, and the peak since
 * its start.
 */
async function memoryOf(
  pid: number,
): Promise<{ readonly resident: number; readonly peak: number }> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const megabytes = (name: string): number =>
    (Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) * 1024) / MB;
  return { resident: megabytes('VmRSS'), peak: megabytes('VmHWM') };
}

describeWithTool(s3Server, 'a broker with little memory', (path) => {
  test.runIf(process.platform === 'linux')(
    'a broker with little memory stores a result in S3 that is many times as large as its heap',
    { timeout: 240_000 + resultMegabytes * 200 },
    async () => {
      await using s3 = await S3Server.start(path);
      await using directory = await temporaryDirectory();
      const settings = { ...s3SettingsOf(s3.storeOptions()), 'engine.broker.query.timeout': '30m' };
      const config = await writeSettings(directory.path, propertiesOf(settings));
      const NODE_OPTIONS = `${process.env['NODE_OPTIONS'] ?? ''} --max-old-space-size=${heapMegabytes}`;
      await using broker = new CliProcess(['start', '--roles', 'broker', '--config', config], {
        variables: { ...testVariables, NODE_OPTIONS },
      });
      const [, baseUrl = ''] = await broker.untilPrinted(/broker +(http:\S+)[^]*Ctrl-C/);
      const atRest = await memoryOf(broker.pid);

      const client = new QuireClient({ baseUrl, token: 'admin-token' });
      const columns = Array.from(
        { length: 10 },
        (_, index) => `CAST(hash(i * 16 + ${index}) >> 1 AS BIGINT) AS c${index}`,
      );
      const rowCount = Math.ceil((resultMegabytes * MB) / rowBytes);
      const sql = `SELECT i AS n, ${columns.slice(1).join(', ')} FROM range(${rowCount}) AS t(i)`;
      const { requestId } = await client.query(sql, { rowCount: 1 });
      const { peak } = await memoryOf(broker.pid);
      const last = await client.page(requestId, { offset: rowCount - 1, rowCount: 1 });
      expect(last.rows[0]?.[0]).toBe(rowCount - 1);
      // Concurrent parts, batches that wait for them, and DuckDB's memory: the same for any size of
      // a result.
      expect(peak - atRest.resident).toBeLessThan(220);
    },
  );
});
