import { describeTableEngine, type TableEngineFixture } from '@quire/core/conformance';
import { describeWithTool, pinotServer } from '../testkit/toolchain.ts';
import { KafkaTopic } from './kafka-topic.ts';
import { count, describeTable, dropTable, RoutedTables, sharedCluster } from './pinot-cluster.ts';

describeWithTool(pinotServer, 'Apache Pinot', () => {
  const open = async (): Promise<TableEngineFixture> => {
    const cluster = sharedCluster();
    const engine = new RoutedTables(cluster);
    const topic = await KafkaTopic.create();
    let seen = { rowCount: 0, sinceMs: performance.now() };
    return {
      engine,
      streamConfig: topic.streamConfig,
      append: (partition, rows) => topic.append(partition, rows),
      count: async (tableName) => {
        const rowCount = (await count(cluster, tableName)) ?? 0;
        if (rowCount !== seen.rowCount) seen = { rowCount, sinceMs: performance.now() };
        return rowCount;
      },
      async [Symbol.asyncDispose]() {
        // The failed test shows only the number of rows.
        if (performance.now() - seen.sinceMs > 30_000) {
          console.error(await describeTable(cluster, 'visits'));
        }
        await dropTable(cluster, engine, 'visits');
        await engine[Symbol.asyncDispose]();
        await topic[Symbol.asyncDispose]();
      },
    };
  };
  // Minions run the tasks, and read files only from locations that the whole cluster can access:
  // tasks.pinot.test.ts tests them.
  describeTableEngine('the table engine on Apache Pinot', open, {
    hasTasks: false,
    testTimeoutMs: 240_000,
  });
});
