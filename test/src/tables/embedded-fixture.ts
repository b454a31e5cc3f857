import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FileProducer } from '@quire/streams';
import { createFileFinder } from '@quire/tables';
import { openEmbeddedTables } from '../testkit/embedded-tables.ts';
import type { TableEngineFixture } from '@quire/core/conformance';

/** The embedded engine on directories of its own, with a file stream of two partitions. */
export async function openEmbeddedFixture(): Promise<TableEngineFixture> {
  const home = await mkdtemp(join(tmpdir(), 'quire-conformance-'));
  const [dataDirectory, streams, incoming] = [
    join(home, 'tables'),
    join(home, 'streams'),
    join(home, 'incoming'),
  ];
  await mkdir(incoming);
  const finder = createFileFinder({ paths: [incoming] });
  const producer = await FileProducer.open({
    directory: streams,
    topic: 'visits',
    partitionCount: 2,
  });
  const engine = await openEmbeddedTables({ dataDirectory, streamDirectory: streams, finder });
  return {
    engine,
    streamConfig: {
      streamType: 'file',
      'stream.file.topic.name': 'visits',
      'stream.file.consumer.prop.auto.offset.reset': 'smallest',
    },
    append: (partition, rows) =>
      producer.append(
        rows.map((row) => ({ key: null, partition, value: Buffer.from(JSON.stringify(row)) })),
      ),
    files: {
      directoryUri: `file://${incoming}/`,
      write: (name, text) => writeFile(join(incoming, name), text),
    },
    async count(tableName) {
      const [relation] = await engine.liveTables.resolve([tableName]);
      return relation?.rowCount ?? 0;
    },
    async [Symbol.asyncDispose]() {
      await engine[Symbol.asyncDispose]();
      await producer[Symbol.asyncDispose]();
      await rm(home, { recursive: true, maxRetries: 10 });
    },
  };
}
