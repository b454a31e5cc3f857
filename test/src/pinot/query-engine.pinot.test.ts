import { describeQueryEngine } from '@quire/core/conformance';
import { beforeAll } from 'vitest';
import { describeWithTool, pinotServer } from '../testkit/toolchain.ts';
import { loadTable, openEngine, sharedCluster } from './pinot-cluster.ts';

const queries = {
  numbers: 'SELECT n FROM numbers ORDER BY n LIMIT 100000',
  noRows: 'SELECT n FROM numbers WHERE n < 0',
  // Larger than the socket buffers: a reader that has seen a part has not seen all.
  endless: `SELECT ${Array.from({ length: 16 }, (_, index) => `n * ${index + 3} AS n${index}`).join(', ')} FROM numbers LIMIT 100000`,
  syntaxError: 'SELECT n FRM numbers WHERE',
  missingTable: 'SELECT * FROM nothing_of_that_name',
};

describeWithTool(pinotServer, 'Apache Pinot', () => {
  beforeAll(async () => {
    const schema = {
      schemaName: 'numbers',
      dimensionFieldSpecs: [{ name: 'n', dataType: 'LONG' }],
    };
    await loadTable(sharedCluster(), schema, [Array.from({ length: 100_000 }, (_, n) => ({ n }))]);
  });

  describeQueryEngine('as a query engine', async () => {
    const engine = openEngine();
    return { engine, queries, [Symbol.asyncDispose]: () => engine[Symbol.asyncDispose]() };
  });
});
