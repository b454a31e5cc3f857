import { expect, test } from 'vitest';
import { replay } from './replayed-controller.ts';

const version = { '/version': { 'pinot-controller': '1.5.1-020ff0d' } };
const lakes = { tableName: 'lakes_OFFLINE', tableType: 'OFFLINE' };
const existing = { ...version, '/tables/lakes?type=offline': { OFFLINE: lakes } };
const creatable = {
  ...version,
  '/schemas/lakes': { schemaName: 'lakes' },
  '/tenants': { BROKER_TENANTS: ['DefaultTenant'], SERVER_TENANTS: ['DefaultTenant'] },
};
/** An answer of Apache Pinot 1.5.1. */
const abandoned = {
  status: 500,
  text: '{"code":500,"error":"Caught exception while updating ideal state for resource: brokerResource"}',
};
const [deletion, creation] = ['DELETE /tables/lakes?type=offline', 'POST /tables'];
const completion = 'POST /tables/lakes_OFFLINE/rebuildBrokerResourceFromHelixTags';
test.each([
  ['an empty answer', { ...version, '/tables/lakes?type=offline': {} }],
  ['404', version],
])('the deletion of a table that is missing is not sent: %s', async (_, answers) => {
  // Apache Pinot would run it, and abandon or lose changes of other tables.
  await using cluster = await replay({ ...answers, [deletion]: {} });
  await expect(cluster.engine.deleteTable('lakes_OFFLINE')).rejects.toMatchObject({
    code: 'TABLE_NOT_FOUND',
  });
  expect(cluster.calls).not.toContain(deletion);
});

test('a deletion that the controller abandons is repeated once', async () => {
  let callCount = 0;
  const answers = Object.defineProperty({ ...existing }, deletion, {
    get: () => ((callCount += 1) === 1 ? abandoned : { status: 'Tables: [lakes_OFFLINE] deleted' }),
  });
  await using cluster = await replay(answers);
  await cluster.engine.deleteTable('lakes_OFFLINE');
  expect(cluster.calls.filter((call) => call === deletion)).toHaveLength(2);
});

test('a deletion that the controller abandons twice is to be retried by its caller', async () => {
  await using cluster = await replay({ ...existing, [deletion]: abandoned });
  await expect(cluster.engine.deleteTable('lakes_OFFLINE')).rejects.toMatchObject({
    code: 'ENGINE_UNAVAILABLE',
    message:
      'Apache Pinot abandoned DELETE /tables/lakes because of changes to other tables at the same time; retry it.',
  });
  expect(cluster.calls.filter((call) => call === deletion)).toHaveLength(2);
});

test('a table whose brokers the controller did not write gets them, or its creation fails', async () => {
  await using cluster = await replay({ ...creatable, [creation]: abandoned, [completion]: {} });
  expect(await cluster.engine.createTable(lakes)).toEqual({
    tableNameWithType: 'lakes_OFFLINE',
    findings: [],
  });
  expect(cluster.calls).toContain(completion);
  await using other = await replay({
    ...creatable,
    [creation]: abandoned,
    [completion]: abandoned,
  });
  await expect(other.engine.createTable(lakes)).rejects.toMatchObject({
    code: 'ENGINE_UNAVAILABLE',
    message:
      'Apache Pinot created lakes_OFFLINE, but assigned no broker to it, because of changes to other tables at the same time: delete it, and create it again.',
  });
});

test('what else the controller fails to update is not to be retried', async () => {
  const text = abandoned.text.replace('brokerResource', 'lakes_OFFLINE');
  await using cluster = await replay({ ...existing, [deletion]: { status: 500, text } });
  await expect(cluster.engine.deleteTable('lakes_OFFLINE')).rejects.toMatchObject({
    code: 'UNEXPECTED_RESPONSE',
  });
});
