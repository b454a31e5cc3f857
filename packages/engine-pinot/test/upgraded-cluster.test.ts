import { ManualClock } from '@quire/core/testing';
import { expect, test } from 'vitest';
import { Controller } from '../src/http/controller.ts';
import type { PinotHttp } from '../src/http/pinot-http.ts';

test('the release of a cluster that is upgraded is read again, and no caller waits for that', async () => {
  const clock = new ManualClock();
  const versions = ['1.5.1', '1.6.0'];
  let hanging = Promise.resolve();
  const http = {
    clock,
    text: async () => {
      const version = versions.shift();
      await hanging;
      if (version === undefined) throw new Error('down');
      return { status: 200, text: `{"pinot-controller":"${version}"}` };
    },
  } as unknown as PinotHttp;
  const controller = new Controller(http, ['http://controller:9000']);
  expect(await controller.release()).toEqual([1, 5, 1]);
  await clock.advance(5 * 60_000);
  expect(versions).toEqual(['1.6.0']);

  const { promise, resolve } = Promise.withResolvers<void>();
  hanging = promise;
  await clock.advance(1);
  expect(await controller.release()).toEqual([1, 5, 1]);
  resolve();
  await clock.advance(0);
  expect(await controller.release()).toEqual([1, 6, 0]);

  await clock.advance(5 * 60_000 + 1);
  expect(await controller.release()).toEqual([1, 6, 0]);
  await clock.advance(0);
  expect(await controller.release()).toEqual([1, 6, 0]);
});
