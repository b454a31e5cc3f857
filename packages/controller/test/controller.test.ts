import { QuireError } from '@quire/core';
import { expect, test } from 'vitest';
import { type ControllerOptions, createController } from '../src/index.ts';

const options: ControllerOptions = {
  host: '127.0.0.1',
  port: 0,
  version: '1.0.0',
  authenticate: async (header) => {
    if (header === undefined) throw new QuireError('UNAUTHENTICATED', 'Who are you?');
    return { name: header, role: 'admin' };
  },
  bodyBytesMax: 1000,
  headerBytesMax: 16_384,
  requestTimeoutMs: 30_000,
  idleTimeoutMs: 75_000,
  shutdownGraceMs: 0,
};

test('a controller says that it is alive to everybody, and what it can do to those who may call', async () => {
  await using controller = createController({ ...options, surroundings: () => ({ settingsProblems: 2 }) });
  const { url } = await controller.listen();
  const headers = { authorization: 'root' };

  const health = await (await fetch(`${url}/health`)).json();
  const stranger = await fetch(`${url}/openapi.json`);
  const documents = await Promise.all(['/metrics', '/openapi.json', '/docs'].map((path) => fetch(url + path, { headers })));

  expect(health).toEqual({ status: 'ok', version: '1.0.0', uptimeMs: expect.any(Number), settingsProblems: 2 });
  expect(stranger.status).toBe(401);
  expect(documents.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(await documents[1]?.json()).toMatchObject({ info: { title: 'Quire controller' }, paths: { '/health': {} } });
});
