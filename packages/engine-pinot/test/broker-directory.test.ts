import { ManualClock } from '@quire/core/testing';
import { expect, test } from 'vitest';
import { BrokerDirectory } from '../src/http/broker-directory.ts';
import type { Controller } from '../src/http/controller.ts';

const list = {
  status: 200,
  text: '{"tables":{"rivers":[{"host":"b","port":8099}]},"tenants":{}}',
};
const gone = { status: 404, text: '{"code":404,"error":"Table \'visits\' not found."}' };

/** Creates a directory whose controller has these answers; the last one repeats. */
function directoryOf(...answers: readonly { readonly status: number; readonly text: string }[]) {
  const calls: string[] = [];
  const clock = new ManualClock();
  let hanging = Promise.resolve();
  const controller = {
    http: { clock },
    url: 'http://c:9000',
    release: async () => [1, 5, 1],
    call: async ({ path }: { readonly path: string }) => {
      calls.push(path);
      const answer = answers[calls.length - 1] ?? answers.at(-1);
      await hanging;
      return answer;
    },
  } as unknown as Controller;
  const directory = new BrokerDirectory(controller, {
    brokers: undefined,
    refreshMs: 1000,
    avoidMs: 1000,
  });
  /** Holds back later answers until the returned function is called. */
  const hang = (): (() => void) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    hanging = promise;
    return resolve;
  };
  return { directory, calls, clock, hang };
}

test('the list of brokers is asked for again when a table is dropped while the controller makes it', async () => {
  const { directory, calls } = directoryOf(gone, gone, list);
  expect(await directory.brokersFor(new Set(['rivers']))).toEqual(['http://b:8099']);
  expect(calls).toHaveLength(3);
});

test('a controller that has no such list is asked four times, and then named', async () => {
  const { directory, calls } = directoryOf(gone);
  await expect(directory.brokersFor(new Set(['rivers']))).rejects.toMatchObject({
    code: 'UNEXPECTED_RESPONSE',
    message: 'The controller answers /v2/brokers with HTTP 404.',
  });
  expect(calls).toHaveLength(4);
});

test('a table that was made since the list was read is served by the brokers of its tenant', async () => {
  const spare = '"tenants":{"Spare":[{"host":"spare","port":8099}]}}';
  const { directory, calls } = directoryOf(
    { status: 200, text: `{"tables":{"rivers":[{"host":"b","port":8099}]},${spare}` },
    {
      status: 200,
      text: `{"tables":{"rivers":[{"host":"b","port":8099}],"lakes":[{"host":"b","port":8099}]},${spare}`,
    },
  );
  expect(await directory.brokersFor(new Set(['rivers']))).toEqual(['http://b:8099']);
  expect(await directory.brokersFor(new Set(['lakes']))).toEqual(['http://b:8099']);
  expect(calls).toHaveLength(2);
});

test('a query that names no table is sent to any broker, by a list that was read for it', async () => {
  const { directory, calls } = directoryOf(list);
  for (const count of [1, 2]) {
    expect(await directory.brokersFor(new Set(['select']))).toEqual(['http://b:8099']);
    expect(calls).toHaveLength(count);
  }
  await directory.brokersFor(new Set(['rivers']));
  expect(calls).toHaveLength(2);
});

test('an old list is used while the controller that is asked for a new one hangs', async () => {
  const { directory, calls, clock, hang } = directoryOf(list);
  const brokers = ['http://b:8099'];
  expect(await directory.brokersFor(new Set(['rivers']))).toEqual(brokers);
  hang();
  await clock.advance(1001);
  for (const _ of [1, 2]) {
    expect(await directory.brokersFor(new Set(['rivers']))).toEqual(brokers);
  }
  expect(calls).toHaveLength(2);
});

test('a table that is made while a list is read is looked for in the next list', async () => {
  const both = list.text.replace('"rivers"', '"lakes":[{"host":"c","port":8099}],"rivers"');
  const { directory, calls, clock, hang } = directoryOf(list, list, { status: 200, text: both });
  await directory.brokersFor(new Set(['rivers']));
  const release = hang();
  await clock.advance(1001);
  await directory.brokersFor(new Set(['rivers']));
  const brokers = directory.brokersFor(new Set(['lakes']));
  release();
  expect(await brokers).toEqual(['http://c:8099']);
  expect(calls).toHaveLength(3);
});

test('a table that is made while another query has its list read is looked for in the next list', async () => {
  const both = list.text.replace('"rivers"', '"lakes":[{"host":"c","port":8099}],"rivers"');
  const { directory, calls, clock, hang } = directoryOf(list, list, { status: 200, text: both });
  await directory.brokersFor(new Set(['rivers']));
  const release = hang();
  const other = directory.brokersFor(new Set(['seas']));
  await clock.advance(0);
  expect(calls).toHaveLength(2);
  const brokers = directory.brokersFor(new Set(['lakes']));
  release();
  expect(await brokers).toEqual(['http://c:8099']);
  expect(await other).toEqual(['http://b:8099']);
  expect(calls).toHaveLength(3);
});
