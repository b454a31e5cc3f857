import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@quire/core';
import { FileProducer, openStream, parseStreamConfig } from '@quire/streams';
import {
  createFileFinder,
  type PreviewOptions,
  previewTable,
  type PreviewResponse,
} from '@quire/tables';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'quire-stream-preview-'));
});

afterEach(() => rm(directory, { recursive: true }));

/** Writes rows to partitions of the topic `orders`. */
async function write(rowsByPartition: readonly (readonly (object | string)[])[]): Promise<void> {
  await using producer = await FileProducer.open({
    directory,
    topic: 'orders',
    partitionCount: rowsByPartition.length,
  });
  const textOf = (row: object | string): string =>
    typeof row === 'string' ? row : JSON.stringify(row);
  await producer.append(
    rowsByPartition.flatMap((rows, partition) =>
      rows.map((row) => ({ key: null, value: Buffer.from(textOf(row)), partition })),
    ),
  );
}

function streamTable(keys: Readonly<Record<string, string>> = {}): object {
  const reset = { 'stream.file.consumer.prop.auto.offset.reset': 'smallest' };
  const config = { streamType: 'file', 'stream.file.topic.name': 'orders', ...reset, ...keys };
  return {
    tableName: 'orders',
    tableType: 'REALTIME',
    ingestionConfig: { streamIngestionConfig: { streamConfigMaps: [config] } },
  };
}

function previewOf(
  request: object,
  options: Partial<PreviewOptions> = {},
): Promise<PreviewResponse> {
  return previewTable(request, {
    clock: systemClock,
    openStream: (config) => ({
      start: parseStreamConfig(config).start,
      stream: openStream(config, { fileDirectory: directory }),
    }),
    ...options,
  });
}

const idsOf = ({ rows }: PreviewResponse): readonly unknown[] =>
  rows.map(({ fieldToValueMap }) => fieldToValueMap['id']);
const streamPath = '/tableConfig/ingestionConfig/streamIngestionConfig/streamConfigMaps/0';
const rowsFrom = (first: number, count: number): object[] =>
  Array.from({ length: count }, (_, index) => ({ id: first + index }));

describe('a preview of a stream', () => {
  test('a preview of a stream spreads the rows over the partitions; what some do not have, others give', async () => {
    await write([rowsFrom(0, 50), rowsFrom(100, 2), rowsFrom(200, 50)]);
    const preview = await previewOf({
      tableConfig: streamTable(),
      config: { sampling: { max: 12 } },
    });
    expect(idsOf(preview)).toEqual([0, 1, 2, 3, 4, 5, 100, 101, 200, 201, 202, 203]);
    const { partitionMetadataFetchTimeMs, ...realtime } = preview.summary.realtime;
    expect(realtime).toEqual({
      getnPartitions: 3,
      getnRunnables: 3,
      getnRunnablesWithException: 0,
    });
    expect(partitionMetadataFetchTimeMs).toBeGreaterThanOrEqual(0);
  });

  test('a preview of a stream leaves out messages that are not rows, and says where they are', async () => {
    await write([[{ id: 1 }, 'oops', '[2]', { id: 3 }]]);
    const preview = await previewOf({ tableConfig: streamTable() });
    expect(idsOf(preview)).toEqual([1, 3]);
    const messages = preview.findings
      .filter(({ code }) => code === 'ROW_UNREADABLE')
      .map(({ message }) => message);
    expect(messages.toSorted()).toEqual([
      'The message at offset 14 of partition 0 is not a JSON object, but a list. The message is skipped.',
      expect.stringContaining('The message at offset 9 of partition 0 is not JSON') as string,
    ]);
  });

  test('a preview of a stream shows what the stream holds of a table that begins at its end, and says so', async () => {
    await write([rowsFrom(0, 2)]);
    const preview = await previewOf({
      tableConfig: streamTable({ 'stream.file.consumer.prop.auto.offset.reset': 'largest' }),
    });
    expect(idsOf(preview)).toEqual([0, 1]);
    expect(preview.findings).toContainEqual(
      expect.objectContaining({ code: 'STREAM_BEGINS_AT_END', path: streamPath }),
    );
  });

  test('a preview of a stream reads within the limit of bytes, and says that it stopped', async () => {
    await write([rowsFrom(0, 1000)]);
    const preview = await previewOf(
      { tableConfig: streamTable(), config: { sampling: { max: 900 } } },
      { limits: { bytesMax: 100 } },
    );
    expect(preview.rows.length).toBeLessThan(20);
    expect(preview.findings).toContainEqual(
      expect.objectContaining({ code: 'BYTE_LIMIT', path: streamPath }),
    );
  });

  test.each([
    [
      'a topic that is not there',
      { 'stream.file.topic.name': 'none' },
      'There is no file topic none',
    ],
    ['a config that cannot work', { 'stream.file.topic': 'x' }, 'has no key `stream.file.topic`'],
    [
      'a stream that may not be read',
      { streamType: 'kafka' },
      "The stream's config cannot be used",
    ],
  ])('a preview of a stream makes a finding of %s', async (_what, keys, message) => {
    await write([rowsFrom(0, 1)]);
    const preview = await previewOf({ tableConfig: streamTable(keys) });
    expect(preview.rows).toEqual([]);
    const found = preview.findings.filter(({ code }) => code === 'STREAM_INVALID');
    expect(found).toEqual([expect.objectContaining({ path: streamPath, severity: 'error' })]);
    expect(found[0]?.message).toContain(message);
  });

  test('a preview of a stream of a hybrid table says which half the rows came from, and checks both', async () => {
    await write([rowsFrom(0, 2)]);
    await writeFile(join(directory, 'a.json'), '{"id":7}\n');
    const halves = (inputDirURI: string): object => ({
      tableConfigs: {
        tableName: 'orders',
        offline: {
          tableName: 'orders',
          tableType: 'OFFLINE',
          ingestionConfig: {
            batchIngestionConfig: {
              batchConfigMaps: [{ inputDirURI, includeFileNamePattern: 'glob:**/*.json' }],
            },
          },
        },
        realtime: { ...streamTable(), segmentsConfig: { replication: 'x' } },
      },
    });
    const finder = createFileFinder({ paths: [directory] });
    const ofFiles = await previewOf(halves(directory), { finder });
    const ofStream = await previewOf(halves(join(directory, 'none')), { finder });
    const originOf = ({ findings }: PreviewResponse): unknown =>
      findings.find(({ code }) => code === 'SAMPLED_HALF')?.path;
    expect([idsOf(ofFiles), originOf(ofFiles)]).toEqual([[7], '/tableConfigs/offline']);
    expect([idsOf(ofStream), originOf(ofStream)]).toEqual([[0, 1], '/tableConfigs/realtime']);
    const ofOther = ofStream.findings.filter(
      ({ path, severity }) => path.startsWith('/tableConfigs/realtime') && severity === 'error',
    );
    expect(ofOther).not.toEqual([]);
  });
});
