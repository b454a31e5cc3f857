import { expect, test } from 'vitest';
import { createController } from '../src/index.ts';
import { controllerOptions, fakeBroker, storedResult } from './controller-builder.ts';

const root = { headers: { authorization: 'root' } };
const deletion = (count: number) => ({
  status: 200,
  body: `Deleted ${count} expired response(s).`,
});

test('a controller says that it is alive to everybody, and what it can do to those who may call', async () => {
  await using controller = createController({
    ...controllerOptions(),
    healthDetails: async () => ({ settingsProblems: 2 }),
  });
  const { url } = await controller.listen();

  const health = await (await fetch(`${url}/health`)).json();
  const stranger = await fetch(`${url}/openapi.json`);
  const documents = await Promise.all(
    ['/metrics', '/openapi.json', '/docs'].map((path) => fetch(url + path, root)),
  );

  expect(health).toEqual({
    status: 'ok',
    version: '1.0.0',
    uptimeMs: 0,
    previewsRunning: 0,
    previewsQueued: 0,
    settingsProblems: 2,
  });
  expect(stranger.status).toBe(401);
  expect(documents.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(await documents[0]?.text()).toContain(
    '\nquire_controller_expiry_runs_total{outcome="failed"} 0\n',
  );
  expect(await documents[1]?.json()).toMatchObject({
    info: { title: 'Quire controller' },
    paths: { '/cluster/results': {} },
  });
});

test.each(['GET /cluster/results', 'DELETE /cluster/results', 'GET /cluster/health'])(
  '%s is for admins',
  async (call) => {
    await using broker = await fakeBroker(() => deletion(0));
    await using controller = createController(controllerOptions({ brokers: [broker.url] }));
    const { url } = await controller.listen();
    const [method = '', path = ''] = call.split(' ');

    const answer = await fetch(url + path, { method, headers: { authorization: 'ann' } });

    expect(await answer.json()).toMatchObject({ code: 403, reason: 'FORBIDDEN' });
    expect(broker.calls).toEqual([]);
  },
);

test('the results of all brokers are merged, and those that are missing are accounted for', async () => {
  const list = (...results: object[]) => ({
    status: 200,
    body: JSON.stringify({ resultMetadataList: results }),
  });
  await using one = await fakeBroker(() => list(storedResult('b', 9, 2), storedResult('a', 9, 1)));
  await using other = await fakeBroker(() =>
    list(storedResult('c', 9, 3), storedResult('a', 9, 1)),
  );
  await using refusing = await fakeBroker(() => ({ status: 401, body: 'secret' }));
  await using babbling = await fakeBroker(() => ({ status: 200, body: 'secret' }));
  const brokers = [one.url, other.url, refusing.url, babbling.url];
  await using controller = createController(controllerOptions({ brokers }));
  const { url } = await controller.listen();

  const answer = await (await fetch(`${url}/cluster/results`, root)).json();

  const failed = (broker: { readonly url: string }, error: string) => ({
    url: broker.url,
    state: 'failed',
    resultCount: 0,
    error,
  });
  expect(answer).toEqual({
    resultMetadataList: [storedResult('c', 9, 3), storedResult('b', 9, 2), storedResult('a', 9, 1)],
    brokers: [
      { url: one.url, state: 'ok', resultCount: 2, error: null },
      { url: other.url, state: 'ok', resultCount: 2, error: null },
      failed(
        refusing,
        'The broker refuses the Authorization of the controller with status 401: see controller.admin.auth.',
      ),
      failed(babbling, 'The answer is not a list of stored results.'),
    ],
  });
});

test('a deletion on demand goes to all brokers, with its time', async () => {
  await using one = await fakeBroker(() => deletion(2));
  await using other = await fakeBroker(() => deletion(3));
  await using failing = await fakeBroker(() => ({ status: 500, body: '' }));
  await using controller = createController(
    controllerOptions({ brokers: [one.url, other.url, failing.url] }),
  );
  const { url } = await controller.listen();

  const answer = await fetch(`${url}/cluster/results/?expiredBefore=1234`, {
    method: 'DELETE',
    ...root,
  });
  const refused = await fetch(`${url}/cluster/results?expiredBefore=now`, {
    method: 'DELETE',
    ...root,
  });

  expect(await answer.json()).toEqual({
    deletedCount: 5,
    brokers: [
      { url: one.url, state: 'ok', deletedCount: 2, error: null },
      { url: other.url, state: 'ok', deletedCount: 3, error: null },
      {
        url: failing.url,
        state: 'failed',
        deletedCount: 0,
        error: 'The broker answered with status 500.',
      },
    ],
  });
  expect(one.calls).toEqual(['DELETE /query/resultStore?expiredBefore=1234']);
  expect(refused.status).toBe(400);
});

test('the health of the cluster tells of each broker, and of the expiry job on it', async () => {
  const report = JSON.stringify({
    status: 'ok',
    brokerId: 'Broker_b_1',
    version: '2.0.0',
    storeType: 'fs',
  });
  const health =
    (status: number, body: string) => (request: { readonly method?: string | undefined }) =>
      request.method === 'DELETE' ? deletion(4) : { status, body };
  await using up = await fakeBroker(health(200, report));
  await using leaving = await fakeBroker(health(503, ''));
  await using babbling = await fakeBroker(health(200, '{}'));
  const options = controllerOptions({ brokers: [up.url, leaving.url, babbling.url] });
  await using controller = createController(options);
  const { url } = await controller.listen();
  const read = async (): Promise<{ status: string; brokers: object[] }> =>
    (await fetch(`${url}/cluster/health`, root)).json() as Promise<{
      status: string;
      brokers: object[];
    }>;

  const before = await read();
  await options.clock.advance(1000);
  await Promise.all([up, leaving, babbling].map((broker) => broker.untilCalled(2)));
  await options.clock.untilSleeping(3);
  const after = await read();

  const noRun = { lastRunMs: null, lastGoodRunMs: null, deletedCount: 0, error: null };
  const unknown = { brokerId: null, version: null, health: null };
  const error = 'The answer is not a health report of a broker.';
  expect(before).toEqual({
    status: 'degraded',
    brokers: [
      {
        url: up.url,
        state: 'up',
        brokerId: 'Broker_b_1',
        version: '2.0.0',
        error: null,
        health: null,
        cleaning: noRun,
      },
      { url: leaving.url, state: 'leaving', ...unknown, error: null, cleaning: noRun },
      { url: babbling.url, state: 'down', ...unknown, error, cleaning: noRun },
    ],
  });
  const runMs = options.clock.nowMs();
  expect(after.brokers[0]).toMatchObject({
    cleaning: { lastRunMs: runMs, lastGoodRunMs: runMs, deletedCount: 4, error: null },
  });
});

test('a controller without brokers has nothing to do, and nothing is wrong with it', async () => {
  await using controller = createController(controllerOptions());
  const { url } = await controller.listen();
  expect(await (await fetch(`${url}/cluster/health`, root)).json()).toEqual({
    status: 'ok',
    brokers: [],
  });
  expect(await (await fetch(`${url}/cluster/results`, root)).json()).toEqual({
    resultMetadataList: [],
    brokers: [],
  });
});

test('tables are listed with the language of the queries of who asks', async () => {
  await using broker = await fakeBroker(() => ({ status: 200, body: '{"tables": ["b", "a"]}' }));
  await using controller = createController({
    ...controllerOptions({ brokers: [broker.url] }),
    dialectOf: (name) => (name === 'ann' ? 'pinot' : 'duckdb'),
  });
  const { url } = await controller.listen();

  const answers = await Promise.all(
    ['ann', 'root'].map(async (authorization) =>
      (await fetch(`${url}/tables`, { headers: { authorization } })).json(),
    ),
  );

  expect(answers).toEqual([
    { tables: ['a', 'b'], dialect: 'pinot' },
    { tables: ['a', 'b'], dialect: 'duckdb' },
  ]);
});

test('a preview that waits starts when a changed setting allows another one', async () => {
  let concurrencyMax = 1;
  const started: string[] = [];
  const ends = Promise.withResolvers<void>();
  await using controller = createController(
    controllerOptions({
      preview: {
        bodyBytesMax: 1000,
        limits: {},
        get concurrencyMax() {
          return concurrencyMax;
        },
        run: async ({ body }) => {
          started.push(body);
          await ends.promise;
          return Buffer.from('{}');
        },
      },
    }),
  );
  const { url } = await controller.listen();
  const preview = (authorization: string): Promise<Response> =>
    fetch(`${url}/tables/preview`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: `"${authorization}"`,
    });
  const first = preview('ann');
  await expect.poll(() => started).toEqual(['"ann"']);
  const second = preview('bob');
  const health = async (): Promise<unknown> => (await fetch(`${url}/health`)).json();
  await expect.poll(health).toMatchObject({ previewsQueued: 1 });
  concurrencyMax = 2;
  controller.settingsChanged();
  await expect.poll(() => started).toEqual(['"ann"', '"bob"']);
  ends.resolve();
  expect((await Promise.all([first, second])).map(({ status }) => status)).toEqual([200, 200]);
});
