import { describeTableEngine, type TableEngineFixture } from '@quire/core/conformance';
import { PinotTableEngine } from '@quire/engine-pinot';
import { describeWithTool, pinotServer } from '../testkit/toolchain.ts';
import { KafkaTopic } from './kafka-topic.ts';
import { count, dropTable, engineOptions, sharedCluster } from './pinot-cluster.ts';

describeWithTool(pinotServer, 'Apache Pinot', () => {
  const open = async (): Promise<TableEngineFixture> => {
    const cluster = sharedCluster();
    const engine = new PinotTableEngine(engineOptions(cluster));
    const topic = await KafkaTopic.create();
    return {
      engine,
      streamConfig: topic.streamConfig,
      append: (partition, rows) => topic.append(partition, rows),
      count: async (tableName) => (await count(cluster, tableName)) ?? 0,
      async [Symbol.asyncDispose]() {
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
