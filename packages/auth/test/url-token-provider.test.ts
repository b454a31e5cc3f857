import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ManualClock } from '@quire/core/testing';
import { beforeEach, describe, expect, test } from 'vitest';
import {
  createStaticTokenProvider,
  noAuthorization,
  type TextLocation,
  UrlTokenProvider,
} from '../src/index.ts';

const setting = 'controller.admin.auth.url';

const tokenAllowed =
  'a token, alone or after Basic or Bearer: printable characters without spaces, 8000 at most.';

let clock: ManualClock;
let file: string | undefined;
let readCount: number;

beforeEach(() => {
  clock = new ManualClock();
  [file, readCount] = ['t1', 0];
});

async function readFile(path: string): Promise<string> {
  readCount += 1;
  if (file !== undefined) return file;
  throw Object.assign(new Error(`ENOENT: no such file, open '${path}'`), { code: 'ENOENT' });
}

function providerOf(
  location: TextLocation = { kind: 'file', path: '/run/secrets/token' },
): UrlTokenProvider {
  return new UrlTokenProvider({ setting, location, scheme: 'Bearer', clock, readFile });
}

describe('a token in a file', () => {
  test.each([
    ['t1', 'Bearer t1'],
    [' \n t1\r\n', 'Bearer t1'],
    ['Bearer t1\n', 'Bearer t1'],
    ['bearer\tt1', 'bearer t1'],
    ['Basic cm9vdDpzZWNyZXQ=', 'Basic cm9vdDpzZWNyZXQ='],
  ])('a token in a file: %j becomes %j', async (text, value) => {
    file = text;
    expect(await providerOf().authorization()).toBe(value);
  });

  test('calls that are made together share one reading of a token in a file, and one refusal', async () => {
    const provider = providerOf();
    expect(await Promise.all([provider.authorization(), provider.authorization()])).toEqual([
      'Bearer t1',
      'Bearer t1',
    ]);
    expect(readCount).toBe(1);
    file = 't2';
    const refused = 'Bearer t1';
    expect(
      await Promise.all([provider.authorization({ refused }), provider.authorization({ refused })]),
    ).toEqual(['Bearer t2', 'Bearer t2']);
    expect(readCount).toBe(2);
  });

  test('rotation is followed after ten seconds without any refusal', async () => {
    const provider = providerOf();
    await provider.authorization();
    file = 't2';
    await clock.advance(9999);
    expect(await provider.authorization()).toBe('Bearer t1');
    await clock.advance(1);
    expect(await provider.authorization()).toBe('Bearer t2');
  });

  test('a token that was refused and has not changed is given again', async () => {
    const provider = providerOf();
    await provider.authorization();
    expect(await provider.authorization({ refused: 'Bearer t1' })).toBe('Bearer t1');
    expect(readCount).toBe(2);
  });

  test.each([
    [undefined, 'the file cannot be read (ENOENT).'],
    ['', 'the token is empty.'],
    [' \n', 'the token is empty.'],
    ['two words', `expected ${tokenAllowed}`],
    ['t1\r\nX-Evil: 1', `expected ${tokenAllowed}`],
    ['töken', `expected ${tokenAllowed}`],
    ['x'.repeat(20_000), 'the text is longer than 16384 bytes.'],
  ])('what is not a token is told by the name of the setting: %#', async (text, message) => {
    file = text;
    await expect(providerOf().authorization()).rejects.toMatchObject({
      code: 'INVALID_SETTING',
      message: `${setting}: ${message}`,
    });
  });

  test('an old token is not sent instead of one that is gone, and a new one is found at once', async () => {
    const provider = providerOf();
    await provider.authorization();
    file = undefined;
    await clock.advance(10_000);
    await expect(provider.authorization()).rejects.toMatchObject({ code: 'INVALID_SETTING' });
    file = 't2';
    expect(await provider.authorization()).toBe('Bearer t2');
  });
});

describe('a token that a web server gives', () => {
  async function serve(
    answer: (authorization: string | undefined) => {
      readonly status: number;
      readonly body?: string;
      readonly to?: string;
    },
  ): Promise<AsyncDisposable & { readonly port: number }> {
    const server = createServer((request, response) => {
      const { status, body, to } = answer(request.headers.authorization);
      response.writeHead(status, to === undefined ? {} : { location: to });
      if (body !== 'hang') response.end(body);
      else response.flushHeaders();
    });
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const close = async (): Promise<void> => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    };
    return { port, [Symbol.asyncDispose]: close };
  }

  test('a token that a web server gives is read with the name and password that the URL holds', async () => {
    await using server = await serve((authorization) => ({
      status: 200,
      body: `${authorization?.slice('Basic '.length)}\n`,
    }));
    const provider = providerOf({
      kind: 'url',
      url: `http://root:p%40ss@127.0.0.1:${server.port}/token`,
    });
    expect(await provider.authorization()).toBe(
      `Bearer ${Buffer.from('root:p@ss').toString('base64')}`,
    );
  });

  test.each([
    [{ status: 404, body: 'secret' }, 'INVALID_SETTING', 'the server answered with status 404.'],
    [{ status: 503, body: 'secret' }, 'SERVER_UNREACHABLE', 'the server answered with status 503.'],
    [
      { status: 302, to: 'http://127.0.0.1:9/' },
      'SERVER_UNREACHABLE',
      'the server cannot be reached (no connection).',
    ],
    [
      { status: 200, body: 'x'.repeat(100_000) },
      'INVALID_SETTING',
      'the text is longer than 16384 bytes.',
    ],
  ])(
    'any other answer than a token is an error that names the setting: %#',
    async (answer, code, message) => {
      await using server = await serve(() => answer);
      const provider = providerOf({ kind: 'url', url: `http://127.0.0.1:${server.port}/token` });
      await expect(provider.authorization()).rejects.toMatchObject({
        code,
        message: `${setting}: ${message}`,
      });
    },
  );

  test('a server that hangs is given ten seconds', async () => {
    await using server = await serve(() => ({ status: 200, body: 'hang' }));
    const outcome = providerOf({ kind: 'url', url: `http://127.0.0.1:${server.port}/token` })
      .authorization()
      .catch((error: unknown) => error);
    await clock.untilSleeping();
    await clock.advance(10_000);
    expect(await outcome).toMatchObject({
      code: 'SERVER_UNREACHABLE',
      message: `${setting}: the server sent no text within 10 s.`,
    });
    expect(clock.sleeperCount).toBe(0);
  });

  test('a server that is not there is an error without its address', async () => {
    const server = await serve(() => ({ status: 200 }));
    await server[Symbol.asyncDispose]();
    const provider = providerOf({
      kind: 'url',
      url: `http://root:secret@127.0.0.1:${server.port}/token`,
    });
    await expect(provider.authorization()).rejects.toMatchObject({
      code: 'SERVER_UNREACHABLE',
      message: `${setting}: the server cannot be reached (ECONNREFUSED).`,
    });
  });
});

test('one token for ever, or none at all', async () => {
  const options = { setting: 'controller.admin.auth.token', scheme: 'Basic' };
  expect(
    await createStaticTokenProvider(' abc\n', options).authorization({ refused: 'Basic abc' }),
  ).toBe('Basic abc');
  expect(() => createStaticTokenProvider('', options)).toThrow(
    'controller.admin.auth.token: the token is empty.',
  );
  expect(await noAuthorization.authorization()).toBeUndefined();
});
