import { PinotTableEngine } from '@quire/engine-pinot';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { cellText, ConsoleStage, runQuery } from '../console/console-stage.ts';
import { chromium, describeWithTool, pinotServer } from '../testkit/toolchain.ts';
import { KafkaTopic } from './kafka-topic.ts';
import { count, dropTable, engineOptions, sharedCluster } from './pinot-cluster.ts';
import { until } from '../testkit/until.ts';

const table = 'brooks';
const schema = {
  schemaName: table,
  dimensionFieldSpecs: [{ name: 'id', dataType: 'LONG' }],
  dateTimeFieldSpecs: [
    { name: 'ts', dataType: 'LONG', format: 'EPOCH|MILLISECONDS|1', granularity: 'MILLISECONDS|1' },
  ],
};

/** The step that reads the table, or what stands for a stage without statistics. */
const leafOrNone = new RegExp(`LEAF\\(${table}\\)|No stats available`);

describeWithTool(pinotServer, 'the console on Apache Pinot', () => {
  describeWithTool(chromium, 'the console on Apache Pinot, in a browser', (program) => {
    let stage: ConsoleStage;
    let topic: KafkaTopic;

    beforeAll(async () => {
      const { authorization, brokerUrl, controllerUrl } = sharedCluster();
      topic = await KafkaTopic.create();
      await topic.append(
        0,
        Array.from({ length: 50 }, (_, id) => ({ id, ts: 1_767_225_600_000 + id })),
      );
      const settings = {
        'engine.kind': 'pinot',
        'engine.pinot.controller.url': controllerUrl,
        // Brokers of other suites join and leave the cluster.
        'engine.pinot.broker.url': brokerUrl,
        'engine.pinot.auth.token': authorization,
        'engine.table.stocks.path': null,
        'engine.table.cars.path': null,
        'engine.table.readings.path': null,
      };
      stage = await ConsoleStage.open(program, settings, ['broker', 'controller']);
      await stage.call('/schemas', { method: 'POST', body: JSON.stringify(schema) });
      await stage.call('/tables', {
        method: 'POST',
        body: JSON.stringify({
          tableName: `${table}_REALTIME`,
          tableType: 'REALTIME',
          segmentsConfig: { timeColumnName: 'ts', replication: '1' },
          tenants: { broker: 'DefaultTenant', server: 'DefaultTenant' },
          ingestionConfig: { streamIngestionConfig: { streamConfigMaps: [topic.streamConfig] } },
        }),
      });
      await until(
        async () => (await count(sharedCluster(), table)) === 50,
        `${table} has its rows`,
      );
    });
    afterAll(async () => {
      await stage[Symbol.asyncDispose]();
      await topic[Symbol.asyncDispose]();
      await using engine = new PinotTableEngine(engineOptions(sharedCluster()));
      await dropTable(sharedCluster(), engine, table);
    });

    test('the console on Apache Pinot runs a query, shows its rows, and offers no query over its result', async () => {
      await using visit = await stage.visit();
      const { page, complaints } = visit;
      await runQuery(page, `SELECT id FROM ${table} ORDER BY id LIMIT 50`);
      expect(await cellText(page, 3, 1)).toBe('2');
      await page.locator('.result-area').getByText('50 rows').first().waitFor();
      await page.getByText('SQL of Apache Pinot').waitFor();
      expect(await page.getByRole('button', { name: 'Query this result' }).count()).toBe(0);
      expect(complaints.filter(isOurs)).toEqual([]);
    });

    test('the console on Apache Pinot shows plans of both engines, and profiles with statistics and steps', async () => {
      await using visit = await stage.visit();
      const { page, complaints } = visit;
      const explain = async (sql: string, choice: RegExp): Promise<void> => {
        await page.locator('.editor .cm-content').focus();
        await page.keyboard.press('ControlOrMeta+a');
        await page.keyboard.insertText(sql);
        await page.keyboard.press('Escape');
        await page.getByText('Explain', { exact: true }).click();
        await page.getByRole('button', { name: choice }).click();
      };
      const grouped = `SELECT id, count(*) FROM ${table} WHERE id > 10 GROUP BY id`;
      const plan = page.getByRole('region', { name: 'Plan' });
      await explain(grouped, /^Plan/);
      await shown(page, plan.locator('li li li', { hasText: 'PLAN_START' }));
      await explain(`SET useMultistageEngine = true; ${grouped}`, /^Plan/);
      await shown(page, plan.locator('li li', { hasText: `Scan(table=[[default, ${table}]]` }));

      const statistics = page.getByRole('region', { name: 'Statistics' });
      await explain(grouped, /^Profile/);
      // Apache Pinot returns the trace of only one of several servers on one host. It may be the
      // server without segments.
      await shown(page, statistics.locator('li', { hasText: 'SegmentPrunerService' }));
      // A pause, in another test, commits the segments of both partitions.
      expect(await statistics.locator('table').innerText()).toMatch(
        /Rows scanned\s+39[^]*Rows in the tables\s+50[^]*Segments queried\s+[2-4]/,
      );
      await page.getByRole('tab', { name: 'Rows' }).click();
      expect(await cellText(page, 1, 2)).toBe('1');
      await explain(`SET useMultistageEngine = true; ${grouped}`, /^Profile/);
      // A busy Apache Pinot answers before it has the statistics of all stages, and says so.
      await shown(page, statistics.locator('li li', { hasText: leafOrNone }));
      expect(complaints.filter(isOurs)).toEqual([]);
    });

    test('the console on Apache Pinot lists its tables, and shows the partitions, segments and rows of one', async () => {
      await using visit = await stage.visit({ place: '/tables' });
      const { page, complaints } = visit;
      await page.getByRole('link', { name: table, exact: true }).click();
      await page.locator('tbody tr').filter({ hasText: 'consuming' }).first().waitFor();
      await page.getByRole('tab', { name: 'Segments' }).click();
      await page
        .getByText(new RegExp(`${table}__0__0__`))
        .first()
        .waitFor();
      await page.getByRole('button', { name: 'Pause' }).click();
      await page.getByText('paused', { exact: true }).waitFor();
      await page.getByRole('button', { name: 'Resume' }).click();
      await page.getByText('consuming', { exact: true }).first().waitFor();
      expect(complaints.filter(isOurs)).toEqual([]);
    });

    test('the console on Apache Pinot says on the page of the cluster that the engine answers, and has its tasks', async () => {
      await using visit = await stage.visit({ place: '/cluster' });
      const { page, complaints } = visit;
      await page.getByText('Engine', { exact: true }).first().waitFor();
      await page.getByRole('link', { name: 'Tasks', exact: true }).click();
      await page.getByRole('heading', { name: 'Tasks' }).waitFor();
      expect(complaints.filter(isOurs)).toEqual([]);
    });
  });
});

/** Reports whether a complaint is not about the dropped table of another suite. */
function isOurs(complaint: string): boolean {
  return !new RegExp(`404 .*/tables/(?!${table}/)\\w+/`).test(complaint);
}

/** Waits for an element; the error if it does not appear has the text of the page. */
async function shown(page: Page, element: Locator): Promise<void> {
  try {
    await element.first().waitFor();
  } catch (error) {
    const seen = await page.locator('main').innerText();
    throw new Error(`${element.toString()} is not shown, but:\n${seen.slice(0, 2000)}`, {
      cause: error,
    });
  }
}
