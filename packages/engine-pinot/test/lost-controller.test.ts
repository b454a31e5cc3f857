import { QuireError } from '@quire/core';
import { ManualClock } from '@quire/core/testing';
import { expect, test } from 'vitest';
import { Controller } from '../src/http/controller.ts';
import type { PinotHttp } from '../src/http/pinot-http.ts';

test('two concurrent calls to a controller that has died are both answered by the next one', async () => {
  const refused = Promise.withResolvers<never>();
  const http = {
    clock: new ManualClock(),
    text: async ({ url }: { readonly url: string }) =>
      url.startsWith('http://dead') ? refused.promise : { status: 200, text: url },
  } as unknown as PinotHttp;
  const controller = new Controller(http, ['http://dead:9000', 'http://alive:9000']);
  const answers = ['OFFLINE', 'REALTIME'].map((type) =>
    controller.call({ method: 'GET', path: `/tables?type=${type}` }),
  );
  const connection = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
  const cause = new Error('http://dead:9000: refused', { cause: connection });
  refused.reject(new QuireError('ENGINE_UNAVAILABLE', 'Apache Pinot does not answer.', { cause }));
  expect(await Promise.all(answers)).toEqual([
    { status: 200, text: 'http://alive:9000/tables?type=OFFLINE' },
    { status: 200, text: 'http://alive:9000/tables?type=REALTIME' },
  ]);
});
