import type { TableConfigDocument } from '@quire/core/table-engine';
import { expect, test } from 'vitest';
import { cannedEngine, cannedRestreams } from '../testkit/canned-tables.ts';
import { TestController } from '../testkit/controller-server.ts';

/** Secrets in table configs, as admins and others read and write them over HTTP. */

const config = {
  tableName: 'orders_OFFLINE',
  tableType: 'OFFLINE',
  big: 9_007_199_254_740_993n,
  streamConfigs: {
    'stream.kafka.ssl.client.key': 'BASE64',
    'schema.registry.url': 'https://user:pass@host',
  },
} as unknown as TableConfigDocument;

test('a table config is written back as an admin reads it, and refused as others read it', async () => {
  const written: TableConfigDocument[] = [];
  await using controller = await TestController.start([], {
    tables: {
      engine: {
        ...cannedEngine,
        readTable: async (name) => ({ ...(await cannedEngine.readTable(name)), config }),
        updateTable: async (changed) => {
          written.push(changed);
          return { tableNameWithType: changed.tableName, findings: [] };
        },
      },
      restreams: cannedRestreams,
    },
  });
  const read = async (as: 'ann' | 'root'): Promise<string> => {
    const answer = await controller.call('/tables/orders?type=OFFLINE', { as });
    return /^\{"OFFLINE":(.*)\}$/s.exec(await answer.text())?.[1] ?? '';
  };
  const write = (path: string, body: string): Promise<Response> =>
    controller.call(path, { method: 'PUT', body });
  const whole = (offline: string): string =>
    `{"tableName":"orders","schema":{"schemaName":"orders"},"offline":${offline}}`;

  const hidden = await read('ann');
  expect(JSON.parse(hidden)).toMatchObject({
    streamConfigs: {
      'stream.kafka.ssl.client.key': '*****',
      'schema.registry.url': 'https://*****@host',
    },
  });
  for (const answer of [
    await write('/tables/orders', hidden),
    await write('/tableConfigs/orders', whole(hidden)),
  ]) {
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({
      reason: 'INVALID_BODY',
    });
  }
  expect(written).toEqual([]);

  expect((await write('/tables/orders', await read('root'))).status).toBe(200);
  expect(written).toEqual([config]);
});

test('the texts of tasks and the metadata of segments have no user info of URLs, and no task runs with stars for secrets', async () => {
  const url = 's3://key:secret@bucket/a.csv';
  const subtask = {
    subtaskId: 'Task_T_a_0',
    state: 'TASK_ERROR',
    startedMs: null,
    finishedMs: null,
    participant: null,
    info: `${url} cannot be read.`,
    attemptCount: 1,
    progress: null,
    configs: { accessKey: 'k' },
  } as const;
  await using controller = await TestController.start([], {
    tables: {
      engine: {
        ...cannedEngine,
        readTask: async (taskName) => ({
          ...(await cannedEngine.readTask(taskName)),
          subtasks: [subtask],
        }),
        listSegments: async (name) =>
          (await cannedEngine.listSegments(name)).map((segment) => ({
            ...segment,
            segmentName: 's',
            custom: { 'input.data.file.uri': url },
          })),
      },
      restreams: cannedRestreams,
    },
  });
  const read = async (path: string, as: 'ann' | 'root'): Promise<unknown> =>
    await (await controller.call(path, { as })).json();
  const progress = '/tasks/subtask/Task_T_a/progress';
  expect(await read(progress, 'ann')).toEqual({
    Task_T_a_0: 's3://*****@bucket/a.csv cannot be read.',
  });
  expect(await read(progress, 'root')).toEqual({ Task_T_a_0: subtask.info });
  const metadata = '/segments/orders/s/metadata';
  expect(await read(metadata, 'ann')).toMatchObject({
    custom: { 'input.data.file.uri': 's3://*****@bucket/a.csv' },
  });
  expect(await read(metadata, 'root')).toMatchObject({ custom: { 'input.data.file.uri': url } });
  const answer = await controller.call('/tasks/execute', {
    method: 'POST',
    body: JSON.stringify({
      taskType: 'T',
      tableName: 'orders_OFFLINE',
      taskConfigs: { accessKey: '*****' },
    }),
  });
  expect([answer.status, await answer.json()]).toMatchObject([400, { reason: 'INVALID_BODY' }]);
});
