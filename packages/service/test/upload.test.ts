import { tableAdminOperations } from '@quire/api';
import { expect, test } from 'vitest';
import { createService, openUpload, routeOf, ServiceMetrics, uploadRoute } from '../src/index.ts';
import { server } from './echo.ts';

/** A service that returns the files that it is sent, and takes JSON of a thousand bytes. */
const mirror = () =>
  createService({
    server,
    about: { title: 'Mirror', description: 'Returns files.', tags: [] },
    metrics: new ServiceMetrics(),
    routes: () => [
      uploadRoute(
        routeOf(tableAdminOperations.ingestFromFile, async (request, reply) => {
          const { name, body } = await openUpload(request, 100_000);
          return reply
            .header('x-name', name)
            .type('application/octet-stream')
            .send(Buffer.concat(await Array.fromAsync(body)));
        }),
      ),
    ],
  });

/** Larger than a JSON body may be, and not UTF-8. */
const file = Buffer.from(Uint8Array.from({ length: 50_000 }, (_, index) => index % 256));

test.each([
  'application/json',
  'application/json; charset=utf-8',
  'application/octet-stream',
  'text/csv',
])('an uploaded file has all its bytes, sent as %s', async (mediaType) => {
  await using service = mirror();
  const { url } = await service.listen();
  const headers = { authorization: 'ann', 'content-type': mediaType };
  const answer = await fetch(`${url}/ingestFromFile`, { method: 'POST', headers, body: file });
  expect(answer.status).toBe(200);
  expect(Buffer.from(await answer.arrayBuffer()).equals(file)).toBe(true);
});

test('an uploaded file of a form has all its bytes, and its name', async () => {
  await using service = mirror();
  const { url } = await service.listen();
  const body = new FormData();
  body.append('file', new Blob([file], { type: 'application/json' }), 'rows.json');
  const headers = { authorization: 'ann' };
  const answer = await fetch(`${url}/ingestFromFile`, { method: 'POST', headers, body });
  expect(answer.headers.get('x-name')).toBe('rows.json');
  expect(Buffer.from(await answer.arrayBuffer()).equals(file)).toBe(true);
});
