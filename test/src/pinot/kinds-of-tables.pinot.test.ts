import { PinotTableEngine } from '@quire/engine-pinot';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeWithTool, pinotServer } from '../testkit/toolchain.ts';
import { KafkaTopic } from './kafka-topic.ts';
import {
  count,
  dropTable,
  engineOptions,
  loadTable,
  openEngine,
  sharedCluster,
  tellController,
} from './pinot-cluster.ts';
import { type QuireOnPinot, startOnPinot } from './quire-on-pinot.ts';
import { untilRestreamed } from './rivers.ts';
import { patience } from '../testkit/until.ts';

const limits = { timeoutMs: 60_000 };
const names = ['replaced', 'upserted', 'upserted2', 'deduplicated', 'deduplicated2', 'replicated'];
const byKey = (schemaName: string): object => ({
  schemaName,
  dimensionFieldSpecs: [
    { name: 'id', dataType: 'LONG' },
    { name: 'text', dataType: 'STRING' },
  ],
  dateTimeFieldSpecs: [
    { name: 'ts', dataType: 'LONG', format: 'EPOCH|MILLISECONDS|1', granularity: 'MILLISECONDS|1' },
  ],
  primaryKeyColumns: ['id'],
});

/** Ten keys, each of which occurs three times, the last time as `new`. */
const messages = ['old', 'older', 'new'].flatMap((text, round) =>
  Array.from({ length: 10 }, (_, id) => ({ id, text, ts: 1_767_225_600_000 + round })),
);

async function makeByKey(
  quire: QuireOnPinot,
  topic: KafkaTopic,
  name: string,
  config: object,
): Promise<void> {
  await topic.append(0, messages);
  expect(await quire.tell('POST', '/schemas', byKey(name))).toMatchObject({ status: 200 });
  const made = await quire.tell('POST', '/tables', {
    tableName: `${name}_REALTIME`,
    tableType: 'REALTIME',
    segmentsConfig: { timeColumnName: 'ts', replication: '1' },
    tenants: { broker: 'DefaultTenant', server: 'DefaultTenant' },
    routing: { instanceSelectorType: 'strictReplicaGroup' },
    ingestionConfig: { streamIngestionConfig: { streamConfigMaps: [topic.streamConfig] } },
    ...config,
  });
  expect(made).toMatchObject({ status: 200 });
  await expect.poll(() => count(sharedCluster(), name)).toBe(10);
}

/** Loads rows into a numbered segment of a table, which they replace. */
async function loadSegment(name: string, number: number, rows: readonly object[]): Promise<void> {
  const batchConfig = {
    inputFormat: 'json',
    'segmentNameGenerator.type': 'fixed',
    'segmentNameGenerator.configs.segment.name': `${name}_${number}`,
  };
  const form = new FormData();
  form.append('file', new Blob(rows.map((row) => `${JSON.stringify(row)}\n`)), 'rows.json');
  const encoded = encodeURIComponent(JSON.stringify(batchConfig));
  const path = `/ingestFromFile?tableNameWithType=${name}_OFFLINE&batchConfigMapStr=${encoded}`;
  await tellController(sharedCluster(), 'POST', path, form);
}

/** Returns the states that servers report for the replicas of a table's segments. */
async function replicaStates(name: string): Promise<readonly string[]> {
  const path = `/tables/${name}/externalview`;
  const { OFFLINE: states } = JSON.parse(await tellController(sharedCluster(), 'GET', path)) as {
    readonly OFFLINE: Readonly<Record<string, Readonly<Record<string, string>>>> | null;
  };
  return Object.values(states ?? {}).flatMap((replicas) => Object.values(replicas));
}

describeWithTool(
  pinotServer,
  'tables of Apache Pinot whose rows or segments replace others',
  () => {
    let quire: QuireOnPinot;
    beforeAll(async () => {
      quire = await startOnPinot({
        'engine.pinot.paginated.limit': 'all',
        'engine.pinot.segments.enabled': 'true',
      });
    });
    afterAll(async () => {
      await quire[Symbol.asyncDispose]();
      await using engine = new PinotTableEngine(engineOptions(sharedCluster()));
      for (const name of names) await dropTable(sharedCluster(), engine, name);
    });

    test('a selection that is read segment by segment fails when a segment is replaced or goes away meanwhile', async () => {
      const cluster = sharedCluster();
      const schema = {
        schemaName: 'replaced',
        dimensionFieldSpecs: [{ name: 'n', dataType: 'INT' }],
      };
      await loadTable(cluster, schema, []);
      for (const n of [1, 2, 3]) await loadSegment('replaced', n, [{ n }]);
      await expect.poll(() => count(cluster, 'replaced')).toBe(3);
      await using engine = openEngine({ isUnlimited: true, isSegmentBySegment: true });
      const readWhile = async (change: () => Promise<unknown>): Promise<number> => {
        await using execution = await engine.execute(
          { sql: 'SELECT n FROM replaced', isPaginated: true },
          { limits },
        );
        let rowCount = 0;
        for await (const { numRows } of execution.batches) {
          if (rowCount === 0) await change();
          rowCount += numRows;
        }
        return rowCount;
      };
      const refused = (what: string): object => ({
        code: 'QUERY_FAILED',
        message: `Segment replaced_3 of replaced ${what} while the table was read segment by segment; run the query again.`,
      });
      const replaced = readWhile(() => loadSegment('replaced', 3, [{ n: 4 }, { n: 5 }]));
      await expect(replaced).rejects.toMatchObject(refused('was replaced'));
      await expect.poll(() => count(cluster, 'replaced')).toBe(4);
      expect(await readWhile(async () => undefined)).toBe(4);
      const path = '/segments/replaced_OFFLINE/replaced_3';
      await expect(readWhile(() => tellController(cluster, 'DELETE', path))).rejects.toMatchObject(
        refused('was deleted'),
      );
    });

    test('a table with upserts is stored as its cluster answers it, and rebuilt', async () => {
      await using topic = await KafkaTopic.create();
      await makeByKey(quire, topic, 'upserted', { upsertConfig: { mode: 'FULL' } });
      // There are ten rows as soon as each key has occurred once.
      await expect.poll(() => count(sharedCluster(), "upserted WHERE text = 'new'")).toBe(10);
      const answer = await quire.query(
        'SELECT id, text FROM upserted',
        '?doPaginate=true&numRows=99',
      );
      expect(answer.exceptions).toEqual([]);
      expect(answer.resultTable.rows).toHaveLength(10);
      expect(new Set(answer.resultTable.rows.map((row) => (row as unknown[])[1]))).toEqual(
        new Set(['new']),
      );
      const started = await quire.tell(
        'POST',
        '/tables/upserted_REALTIME/restream?destTableNameWithType=upserted2_REALTIME',
      );
      expect(started).toMatchObject({ status: 200 });
      await untilRestreamed(quire, patience.timeout, '/tables/upserted_REALTIME/restream');
      await expect.poll(() => count(sharedCluster(), 'upserted2')).toBe(10);
    });

    test('a table that drops duplicates is stored as its cluster answers it, and rebuilt', async () => {
      await using topic = await KafkaTopic.create();
      await makeByKey(quire, topic, 'deduplicated', { dedupConfig: { dedupEnabled: true } });
      const answer = await quire.query(
        'SELECT id, text FROM deduplicated',
        '?doPaginate=true&numRows=99',
      );
      expect(answer.exceptions).toEqual([]);
      expect(answer.resultTable.rows).toHaveLength(10);
      expect(new Set(answer.resultTable.rows.map((row) => (row as unknown[])[1]))).toEqual(
        new Set(['old']),
      );
      const started = await quire.tell(
        'POST',
        '/tables/deduplicated_REALTIME/restream?destTableNameWithType=deduplicated2_REALTIME',
      );
      expect(started).toMatchObject({ status: 200 });
      await untilRestreamed(quire, patience.timeout, '/tables/deduplicated_REALTIME/restream');
      await expect.poll(() => count(sharedCluster(), 'deduplicated2')).toBe(10);
    });

    test('a table with replica groups has its rows once, and shows both replicas', async () => {
      const rows = Array.from({ length: 50 }, (_, n) => ({ n }));
      const schema = {
        schemaName: 'replicated',
        dimensionFieldSpecs: [{ name: 'n', dataType: 'INT' }],
      };
      expect(await quire.tell('POST', '/schemas', schema)).toMatchObject({ status: 200 });
      const made = await quire.tell('POST', '/tables', {
        tableName: 'replicated_OFFLINE',
        tableType: 'OFFLINE',
        segmentsConfig: { replication: '2' },
        tenants: { broker: 'DefaultTenant', server: 'DefaultTenant' },
        routing: { instanceSelectorType: 'strictReplicaGroup' },
        instanceAssignmentConfigMap: {
          OFFLINE: {
            tagPoolConfig: { tag: 'DefaultTenant_OFFLINE' },
            replicaGroupPartitionConfig: {
              replicaGroupBased: true,
              numReplicaGroups: 2,
              numInstancesPerReplicaGroup: 1,
            },
          },
        },
      });
      expect(made).toMatchObject({ status: 200 });
      await loadSegment('replicated', 1, rows);
      await expect.poll(() => count(sharedCluster(), 'replicated')).toBe(50);
      // One replica answers the count: the other may still be loaded, and has no size until then.
      await expect.poll(() => replicaStates('replicated')).toEqual(['ONLINE', 'ONLINE']);
      for (const parameters of ['?doPaginate=true&numRows=99', '?numRows=99']) {
        const answer = await quire.query('SELECT n FROM replicated LIMIT 99', parameters);
        expect(answer).toMatchObject({ exceptions: [], numServersQueried: 1 });
        expect(answer.resultTable.rows).toHaveLength(50);
      }
      const answer = await quire.query('SELECT n FROM replicated', '?doPaginate=true&numRows=99');
      expect(answer.resultTable.rows.flat().toSorted((a, b) => Number(a) - Number(b))).toEqual(
        rows.map(({ n }) => n),
      );
      const path = '/tables/replicated/size';
      const theirs = JSON.parse(await tellController(sharedCluster(), 'GET', path)) as {
        readonly reportedSizeInBytes: number;
      };
      expect(await quire.tell('GET', path)).toMatchObject({
        status: 200,
        body: { reportedSizeInBytes: theirs.reportedSizeInBytes },
      });
      const rebalance = '/tables/replicated/rebalance?type=OFFLINE&dryRun=true';
      expect(await quire.tell('POST', rebalance)).toMatchObject({
        status: 200,
        body: { status: 'NO_OP' },
      });
    });
  },
);
