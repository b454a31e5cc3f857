import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { LiveTables } from '../tables/live-tables.ts';
import { PinotWatch } from '../testkit/servers/pinot-watch.ts';
import { describeWithTool, pinotServer } from '../testkit/toolchain.ts';
import {
  type DialectAnswer,
  type Judged,
  renderAgreement,
  unexplained,
} from './dialect-agreement.ts';
import { dialectQueries } from './dialect-queries.ts';
import { kindRows, kindsSchema, thingRows, thingsSchema } from './dialect-rows.ts';
import { loadTable, sharedCluster } from './pinot-cluster.ts';

// One test asks each of several hundred queries three times.
vi.setConfig({ testTimeout: 900_000 });

const document = join(import.meta.dirname, '../../../packages/engine-duckdb/AGREEMENT.md');

/**
 * Aggregates that brokers accept and servers cannot read. Servers drop such a request, and brokers
 * wait for the answer until the timeout of the query.
 */
const unanswered: ReadonlySet<string> = new Set(['EXPR_MIN(day, i)']);

describeWithTool(pinotServer, 'queries of Apache Pinot', () => {
  let quire: LiveTables;
  const pinot = sharedCluster();

  beforeAll(async () => {
    quire = await LiveTables.open();
    for (const [schema, rows] of [
      [thingsSchema, thingRows],
      [kindsSchema, kindRows],
    ] as const) {
      await loadTable(pinot, schema, [rows], { tableIndexConfig: { nullHandlingEnabled: true } });
      await quire.create('/schemas', schema);
      await quire.create('/tables', { tableName: schema.schemaName, tableType: 'OFFLINE' });
      await quire.ingestRows(`${schema.schemaName}_OFFLINE`, rows);
    }
  });
  afterAll(() => quire[Symbol.asyncDispose]());

  test('queries of Apache Pinot have the same values here, but for differences that are listed with their causes', async () => {
    const all: Judged[] = [];
    for (const query of dialectQueries) {
      const timeout = unanswered.has(query.subject) ? ';timeoutMs=5000' : '';
      const [singleStage, multiStage, ours] = await Promise.all([
        askPinot(query.sql, `enableNullHandling=true${timeout}`),
        askPinot(query.sql, 'enableNullHandling=true;useMultistageEngine=true'),
        askQuire(query.sql),
      ]);
      const answers = { 'single-stage': singleStage, 'multi-stage': multiStage, quire: ours };
      all.push({ query, answers });
    }
    expect(unexplained(all)).toEqual([]);
    const agreement = expect(renderAgreement(all)).toMatchFileSnapshot(document);
    // A query that a cluster answers on other days: the document has no reasons.
    await agreement.catch((error: unknown) => {
      throw new Error(`${String(error)}\n\n${errorsOf(all)}`, { cause: error });
    });
  });

  async function askPinot(sql: string, queryOptions: string): Promise<DialectAnswer> {
    using watch = await PinotWatch.start(pinot);
    const response = await fetch(`${pinot.brokerUrl}/query/sql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: pinot.authorization },
      body: JSON.stringify({ sql, queryOptions }),
    });
    const text = await response.text();
    // Some refusals are text alone.
    const answer = response.ok ? answerOf(text) : { error: text };
    if (answer.error?.endsWith('not responded') !== true) return answer;
    return { ...answer, report: await watch.report() };
  }

  async function askQuire(sql: string): Promise<DialectAnswer> {
    const queryOptions = 'dialect=pinot;enableNullHandling=true';
    const answer = await quire.call('POST', '/query/sql', { sql, queryOptions }, 'broker');
    return answerOf(await answer.text());
  }
});

/** Returns the errors of Apache Pinot, a line for each, and the reports about missing answers. */
function errorsOf(all: readonly Judged[]): string {
  const lines = all.flatMap(({ query, answers }) =>
    Object.entries(answers).flatMap(([engine, { error, report }]) =>
      error === undefined
        ? []
        : [
            `${engine}: ${query.sql}: ${error.slice(0, 300)}`,
            ...(report === undefined ? [] : [report]),
          ],
    ),
  );
  return lines.join('\n');
}

function answerOf(text: string): DialectAnswer {
  if (!text.startsWith('{')) return { error: text };
  const { resultTable, exceptions } = JSON.parse(text) as {
    resultTable?: { rows: unknown[][]; dataSchema: { columnDataTypes: string[] } };
    exceptions?: readonly { readonly message: string }[];
  };
  const [exception] = exceptions ?? [];
  if (exception !== undefined || resultTable === undefined) {
    return { error: exception?.message ?? text };
  }
  return { rows: resultTable.rows, types: resultTable.dataSchema.columnDataTypes };
}
