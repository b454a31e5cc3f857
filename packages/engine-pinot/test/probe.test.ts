import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type AuthorizationProvider, noAuthorization } from '@quire/auth';
import { QuireError, systemRandom } from '@quire/core';
import { ManualClock } from '@quire/core/testing';
import { expect, test } from 'vitest';
import { PinotEngine } from '../src/index.ts';

const version = JSON.stringify({ 'pinot-controller': '1.5.1-020ff0d' });
const brokerAnswer = '{"exceptions":[{"errorCode":150,"message":"SQLParsingError"}]}';
const probing = { timeoutMs: 5_000 };

interface Address extends AsyncDisposable {
  readonly url: string;
}

/** A server with one answer for each path, and 404 for the others. */
async function serve(
  answers: Readonly<Record<string, string>> | RequestListener,
): Promise<Address> {
  const server = createServer((request, response) => {
    if (typeof answers === 'function') return answers(request, response);
    const text = answers[request.url ?? ''];
    return response.writeHead(text === undefined ? 404 : 200).end(text);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

const controller = () => serve({ '/version': version, '/health': 'OK' });
const broker = () => serve({ '/health': 'OK', '/query/sql?sql=SELECT%201': brokerAnswer });

function engineOf(
  controllerUrls: readonly string[],
  brokers: readonly string[] | undefined,
  clock = new ManualClock(),
  authorization: AuthorizationProvider = noAuthorization,
): PinotEngine {
  return new PinotEngine({
    clock,
    random: systemRandom,
    controllerUrls,
    brokers,
    authorization,
    connectTimeoutMs: 5_000,
    refreshMs: 1_000,
    avoidMs: 10_000,
    isUnlimited: false,
    isSegmentBySegment: false,
  });
}

test('a cluster whose addresses are what they should be has no problem', async () => {
  await using first = await controller();
  await using second = await broker();
  await using engine = engineOf([first.url], [second.url]);
  const fine = { isUsable: true, problems: [] };
  expect(await engine.probe(probing)).toEqual(fine);
});

test('addresses of the wrong role, and those where nothing listens, are named with their setting', async () => {
  await using first = await controller();
  await using second = await broker();
  const gone = await broker();
  await gone[Symbol.asyncDispose]();
  await using engine = engineOf(
    [first.url, second.url, gone.url],
    [second.url, first.url, gone.url],
  );
  expect(await engine.probe(probing)).toEqual({
    isUsable: true,
    problems: [
      {
        setting: 'engine.pinot.controller.url',
        url: second.url,
        problem:
          'The configured controller does not answer as one of Apache Pinot: /version returned HTTP 404.',
      },
      {
        setting: 'engine.pinot.controller.url',
        url: gone.url,
        problem: 'Apache Pinot does not answer: ECONNREFUSED.',
      },
      {
        setting: 'engine.pinot.broker.url',
        url: first.url,
        problem:
          'The configured broker does not answer as one of Apache Pinot: /query/sql returned HTTP 404.',
      },
      {
        setting: 'engine.pinot.broker.url',
        url: gone.url,
        problem: 'Apache Pinot does not answer: ECONNREFUSED.',
      },
    ],
  });
});

test('without a controller or a broker the cluster is of no use, nor where one hangs', async () => {
  const clock = new ManualClock();
  const asked = Promise.withResolvers<void>();
  await using first = await controller();
  await using silent = await serve(() => asked.resolve());
  await using second = await broker();
  await using headless = engineOf([second.url], [second.url]);
  expect(await headless.probe(probing)).toMatchObject({ isUsable: false });
  await using hanging = engineOf([first.url], [silent.url], clock);
  const probe = hanging.probe(probing);
  await asked.promise;
  await clock.advance(5_000);
  expect(await probe).toEqual({
    isUsable: false,
    problems: [
      {
        setting: 'engine.pinot.broker.url',
        url: silent.url,
        problem: 'Apache Pinot does not answer within 5s.',
      },
    ],
  });
});

test('a probe that is aborted ends while the controller makes its list of brokers', async () => {
  const asked = Promise.withResolvers<void>();
  await using first = await serve(({ url }, response) => {
    if (url === '/version') response.end(version);
    else asked.resolve();
  });
  await using engine = engineOf([first.url], undefined);
  const aborting = new AbortController();
  const probe = engine.probe({ ...probing, signal: aborting.signal });
  await asked.promise;
  aborting.abort();
  await expect(probe).rejects.toMatchObject({ code: 'ABORTED' });
});

test('a probe names the settings of the token where the cluster does not accept it', async () => {
  await using guarded = await serve((_request, response) => response.writeHead(401).end());
  await using engine = engineOf([guarded.url], []);
  expect(await engine.probe(probing)).toEqual({
    isUsable: false,
    problems: [
      {
        setting: 'engine.pinot.auth.token, engine.pinot.auth.url',
        url: guarded.url,
        problem: 'Apache Pinot rejected the credentials (HTTP 401).',
      },
    ],
  });
});

test('a token that cannot be read any more is a failure of the engine, whose place only admins read', async () => {
  await using first = await controller();
  const hint = 'engine.pinot.auth.url: the file cannot be read (ENOENT).';
  await using engine = engineOf([first.url], [first.url], new ManualClock(), {
    authorization: async () => {
      throw new QuireError('INVALID_SETTING', hint);
    },
  });
  await expect(
    engine.execute({ sql: 'SELECT 1' }, { limits: { timeoutMs: 1000 } }),
  ).rejects.toMatchObject({
    code: 'ENGINE_UNAVAILABLE',
    exceptionNumber: 180,
    message: 'The credentials for Apache Pinot cannot be read.',
    adminHint: hint,
  });
});
