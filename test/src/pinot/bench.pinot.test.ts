import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { BenchReport } from '@quire/bench';
import { expect, test } from 'vitest';
import { describeWithTool, pinotServer } from '../testkit/toolchain.ts';
import { loadTable, sharedCluster } from './pinot-cluster.ts';
import { startOnPinot } from './quire-on-pinot.ts';

const program = join(import.meta.dirname, '../../../packages/bench/bin/quire-bench.js');
const sql = 'SELECT n, text FROM paged ORDER BY n LIMIT 1000';

describeWithTool(pinotServer, 'quire-bench', () => {
  test('quire-bench measures pages of Quire on a cluster and of the cluster itself, by turns', async () => {
    const rows = Array.from({ length: 1000 }, (_, n) => ({ n, text: `row ${n}` }));
    const dimensionFieldSpecs = [
      { name: 'n', dataType: 'INT' },
      { name: 'text', dataType: 'STRING' },
    ];
    const pinot = sharedCluster();
    await loadTable(pinot, { schemaName: 'paged', dimensionFieldSpecs }, [rows]);
    await using quire = await startOnPinot();

    const { stdout } = await promisify(execFile)(process.execPath, [
      program,
      ...`--json --url ${quire.brokerUrl} --token ann-token --vs ${pinot.brokerUrl}`.split(' '),
      ...'--pages 10,100 --readers 1,2 --rounds 1 --slice 50'.split(' '),
      '--vs-token',
      pinot.authorization,
      '--sql',
      sql,
    ]);

    const { servers, measurements } = JSON.parse(stdout) as BenchReport;
    expect(servers).toMatchObject([
      { url: quire.brokerUrl, dialect: 'quire', rowCount: 1000 },
      { url: pinot.brokerUrl, dialect: 'pinot', rowCount: 1000 },
    ]);
    expect(measurements).toHaveLength(2 * 2 * 2);
    for (const { pageCount } of measurements) expect(pageCount).toBeGreaterThan(0);
  });
});
