import { isQuireError, QuireError } from '@quire/core';
import { expect, it } from 'vitest';
import { destination, Scene, source } from './scene.ts';

const request = { tableNameWithType: source, destTableNameWithType: destination };

const refusals: [string, Parameters<ReturnType<Scene['controller']>['start']>[0], object][] = [
  [
    'an unknown source',
    { ...request, tableNameWithType: 'nope_REALTIME' },
    { code: 'TABLE_NOT_FOUND' },
  ],
  [
    'a source that is not real-time',
    { ...request, tableNameWithType: 'orders_OFFLINE' },
    { code: 'INVALID_PARAMETER' },
  ],
  [
    'a destination without a type',
    { ...request, destTableNameWithType: 'orders2' },
    { code: 'INVALID_PARAMETER' },
  ],
  [
    'itself as destination',
    { ...request, destTableNameWithType: source },
    { code: 'INVALID_PARAMETER' },
  ],
  [
    'an unknown server tenant',
    { ...request, destServerTenant: 'Nope' },
    { code: 'TENANT_NOT_FOUND' },
  ],
  [
    'an unknown broker tenant',
    { ...request, destBrokerTenant: 'Nope' },
    { code: 'TENANT_NOT_FOUND' },
  ],
  ['a lag below 0', { ...request, maxTableStreamLag: -1 }, { code: 'INVALID_PARAMETER' }],
  ['no time to rebalance', { ...request, maxRebalanceTimeMin: 0 }, { code: 'INVALID_PARAMETER' }],
];

it.each(refusals)('refuses %s, and leaves nothing behind', async (_what, refused, error) => {
  const scene = new Scene();
  await using controller = scene.controller();
  await expect(controller.start(refused)).rejects.toThrow(expect.objectContaining(error));
  expect(scene.engine.changes).toEqual([]);
  expect(await controller.list()).toEqual([]);
});

it('a restream refuses a destination that is there', async () => {
  const scene = new Scene();
  await using controller = scene.controller();
  await scene.engine.createTable({ tableName: destination, tableType: 'REALTIME' });
  await expect(controller.start(request)).rejects.toThrow(
    expect.objectContaining({ code: 'TABLE_EXISTS' }),
  );
});

it('a restream refuses a schema of the name with other columns, and uses one with the same', async () => {
  const scene = new Scene();
  await using controller = scene.controller();
  await scene.engine.createSchema({
    schemaName: 'orders2',
    dimensionFieldSpecs: [{ dataType: 'STRING', name: 'id' }],
  });
  await expect(controller.start(request)).rejects.toThrow(
    expect.objectContaining({ code: 'SCHEMA_EXISTS' }),
  );
  await scene.engine.deleteSchema('orders2');
  await scene.engine.createSchema({
    schemaName: 'orders2',
    dimensionFieldSpecs: [{ dataType: 'LONG', name: 'id' }],
  });
  const { jobId } = await controller.start(request);
  await controller.cancel(jobId, { dropDestination: true });
  await scene.untilEnded(controller, jobId);
  expect(scene.engine.schemaNames).toEqual(['orders', 'orders2']);
});

it.each<[source: boolean | undefined, existing: boolean | string | undefined, isUsed: boolean]>([
  [undefined, undefined, true],
  [undefined, false, true],
  [true, 'true', true],
  [true, undefined, false],
  [undefined, true, false],
])(
  'a restream of a schema whose enableColumnBasedNullHandling is %s uses a schema of the name where it is %s: %s',
  async (ofSource, ofExisting, isUsed) => {
    const scene = new Scene();
    await using controller = scene.controller();
    const { schema } = await scene.engine.readTable(source);
    const schemaOf = (schemaName: string, value: boolean | string | undefined) => ({
      ...schema,
      schemaName,
      ...(value !== undefined && { enableColumnBasedNullHandling: value }),
    });
    await scene.engine.deleteSchema('orders');
    await scene.engine.createSchema(schemaOf('orders', ofSource));
    await scene.engine.createSchema(schemaOf('orders2', ofExisting));
    const outcome = await controller.start(request).then(
      () => 'used',
      (error: unknown) => (isQuireError(error) ? error.code : error),
    );
    expect(outcome).toBe(isUsed ? 'used' : 'SCHEMA_EXISTS');
    expect(scene.engine.tableNames.includes(destination)).toBe(isUsed);
  },
);

it('a restream takes back what it made when the config does not suit the destination, and passes on all findings', async () => {
  const scene = new Scene();
  const findings = [{ path: '/tenants', code: 'ODD', message: 'Odd.', severity: 'error' as const }];
  scene.engine.createTable = () =>
    Promise.reject(new QuireError('TABLE_INVALID', 'The config is not valid.', { findings }));
  await using controller = scene.controller();
  await expect(controller.start(request)).rejects.toThrow(
    expect.objectContaining({ code: 'TABLE_INVALID', findings }),
  );
  expect(scene.engine.schemaNames).toEqual(['orders']);
  expect(await controller.list()).toEqual([]);
});

it('a restream runs one job a table: of two at once, the second is told of the first', async () => {
  const scene = new Scene();
  await using controller = scene.controller();
  const [first, second] = await Promise.allSettled([
    controller.start(request),
    controller.start({ ...request, destTableNameWithType: 'orders3_REALTIME' }),
  ]);
  expect(first.status).toBe('fulfilled');
  const { jobId } = await controller.readOfTable(source);
  expect(second).toMatchObject({
    status: 'rejected',
    reason: { code: 'JOB_EXISTS', message: expect.stringContaining(jobId) },
  });
  expect(await controller.findActive(destination)).toMatchObject({ jobId });
});

it.each(['nope', '../../etc/passwd', '01a1fbe5-2323-7189-ad84-e68ed2a88fe2'])(
  'a controller has no restream %s',
  async (jobId) => {
    await using controller = new Scene().controller();
    await expect(controller.read(jobId)).rejects.toThrow(
      expect.objectContaining({ code: 'JOB_NOT_FOUND' }),
    );
  },
);

it('a restream keeps a schema that another caller has created under the name in the meantime', async () => {
  const scene = new Scene();
  const create = scene.engine.createSchema.bind(scene.engine);
  scene.engine.createSchema = async (schema) => {
    await create({ ...schema, dimensionFieldSpecs: [{ dataType: 'STRING', name: 'id' }] });
    return create(schema);
  };
  await using controller = scene.controller();
  await expect(controller.start(request)).rejects.toThrow(
    expect.objectContaining({ code: 'SCHEMA_EXISTS' }),
  );
  expect(scene.engine.schemaNames).toEqual(['orders', 'orders2']);
  expect(await controller.list()).toEqual([]);
});
