import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { LiveTables } from './live-tables.ts';

const schema = {
  schemaName: 'events',
  dimensionFieldSpecs: [
    { name: 'id', dataType: 'LONG' },
    { name: 'padded', dataType: 'STRING' },
  ],
  dateTimeFieldSpecs: [
    { name: 'ts', dataType: 'LONG', format: 'EPOCH|MILLISECONDS|1', granularity: 'MILLISECONDS|1' },
  ],
};

/** Each message names its number of rows. */
const config = {
  tableName: 'events',
  tableType: 'REALTIME',
  segmentsConfig: { timeColumnName: 'ts' },
  ingestionConfig: {
    continueOnError: true,
    complexTypeConfig: { fieldsToUnnest: ['rows'] },
    transformConfigs: [
      { columnName: 'padded', transformFunction: "reverse(rpad('x', 1000000, 'y'))" },
    ],
    streamIngestionConfig: {
      streamConfigMaps: [
        {
          streamType: 'file',
          'stream.file.topic.name': 'events',
          'stream.file.consumer.prop.auto.offset.reset': 'smallest',
        },
      ],
    },
  },
};

/** The process that converts messages to rows. */
async function streamWorker(tables: LiveTables): Promise<number> {
  for (const pid of await tables.workerPids()) {
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    // Its limit distinguishes it from the others.
    if (command.includes('--max-old-space-size=444')) return pid;
  }
  throw new Error('There is no worker of streams.');
}

test('a message that takes all memory, and a process that hangs, cost neither the server nor another message', async () => {
  await using tables = await LiveTables.open({
    'engine.tables.stream.workers.memory.maxMB': '444',
    'engine.tables.stream.workers.timeout': '2s',
  });
  await using producer = await tables.producer(1);
  let id = 0;
  const append = (...rowCounts: readonly number[]) =>
    producer.append(
      rowCounts.map((count) => {
        id += 1;
        const rows = Array.from({ length: count }, (_, row) => ({ row }));
        return {
          key: null,
          value: Buffer.from(JSON.stringify({ id, rows, ts: 1_700_000_000_000 + id })),
        };
      }),
    );
  const put = async (path: string, body: object): Promise<void> => {
    const answer = await tables.call('POST', path, body);
    expect([path, answer.status, await answer.text()]).toEqual([path, 200, expect.anything()]);
  };
  const ids = async () =>
    (await tables.ask('SELECT id FROM events ORDER BY id')).map(([each]) => each);
  await append(1, 1, 1, 3_000, 1, 1);
  await put('/schemas', schema);
  await put('/tables', config);
  await expect.poll(() => ids()).toEqual([1, 2, 3, 5, 6]);
  const consumption = await tables.call('GET', '/tables/events_REALTIME/consumingSegmentsInfo');
  expect(await consumption.text()).toContain('"state":"CONSUMING","skippedCount":1');

  process.kill(await streamWorker(tables), 'SIGSTOP');
  await append(1, 1);
  await expect.poll(() => ids()).toEqual([1, 2, 3, 5, 6, 7, 8]);
});
