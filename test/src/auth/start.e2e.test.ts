import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Readable } from 'node:stream';
import { startQuire } from '@quire/server';
import { generate } from 'selfsigned';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { audience, createTokenIssuer, issuerName } from '../testkit/builders/jwt-issuer.ts';
import { CliProcess } from '../testkit/cli-process.ts';

type Query = (token: string) => Promise<{ readonly status: number; readonly body: string }>;

/** A server that was started in any way. */
interface Started extends AsyncDisposable {
  readonly url: string;
  /** Resolves to all lines of its log, once one of them contains this text. */
  readonly untilLogged: (text: string) => Promise<readonly string[]>;
}

let directory: string;
let issuer: Awaited<ReturnType<typeof createTokenIssuer>>;
let ca: string;
let settings: Readonly<Record<string, string>>;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'quire-auth-'));
  issuer = await createTokenIssuer();
  const altNames = [{ type: 7 as const, ip: '127.0.0.1' }];
  const { cert, private: key } = await generate([{ name: 'commonName', value: 'quire test' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    extensions: [{ name: 'subjectAltName', altNames }],
  });
  ca = cert;
  await Promise.all(
    Object.entries({ 'keys.json': issuer.jwks, 'server.pem': ca, 'server.key': key }).map(
      ([name, content]) => writeFile(join(directory, name), content),
    ),
  );
  settings = {
    'engine.broker.client.queryPort': '0',
    'engine.broker.pagination.temp.dir': join(directory, 'temp'),
    'engine.auth.jwt.jwks.url': join(directory, 'keys.json'),
    'engine.auth.jwt.issuer': issuerName,
    'engine.auth.jwt.audience': audience,
    'engine.auth.jwt.role.claim': 'realm.roles',
    'engine.tls.certificate.file': join(directory, 'server.pem'),
    'engine.tls.key.file': join(directory, 'server.key'),
    'engine.log.format': 'json',
  };
});

afterAll(async () => {
  await rm(directory, { recursive: true, force: true, maxRetries: 10 });
});

async function startCommand(): Promise<Started> {
  const set = Object.entries(settings).flatMap(([name, value]) => ['--set', `${name}=${value}`]);
  const broker = new CliProcess(['start', '--roles', 'broker', ...set]);
  const [url = ''] = await broker.untilPrinted(/https:\/\/127\.0\.0\.1:\d+/);
  return {
    url,
    untilLogged: async (text) => {
      await broker.untilLogged(text);
      return broker.stderr.split('\n');
    },
    [Symbol.asyncDispose]: () => broker[Symbol.asyncDispose](),
  };
}

async function startInCode(): Promise<Started> {
  const lines: string[] = [];
  const running = await startQuire({
    roles: ['broker'],
    set: settings,
    directory,
    log: (line) => lines.push(line),
  });
  return {
    url: String(running.addresses.broker?.url),
    untilLogged: async (text) => {
      await expect.poll(() => lines.some((line) => line.includes(text))).toBe(true);
      return lines;
    },
    [Symbol.asyncDispose]: () => running.close(),
  };
}

function queryAt(url: string): Query {
  return async (token) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const outgoing = request(`${url}/query/sql`, { method: 'POST', ca, headers, agent: false });
    outgoing.end('{"sql":"SELECT 42 AS answer"}');
    const [response] = (await once(outgoing, 'response')) as [
      Readable & { readonly statusCode: number },
    ];
    return { status: response.statusCode, body: await text(response) };
  };
}

test.each([
  ['`quire start`', startCommand],
  ['a program', startInCode],
])(
  'a broker that %s starts with keys of tokens and a certificate takes such tokens, over HTTPS, and logs none of them',
  async (_name, start) => {
    await using broker = await start();
    const query = queryAt(broker.url);
    const exp = Math.floor(Date.now() / 1000) + 600;
    const good = await issuer.sign({ sub: 'ann', exp, realm: { roles: ['query'] } });
    const roleless = await issuer.sign({ sub: 'ann', exp });

    const answer = await query(good);
    const refused = await query(roleless);
    const log = await broker.untilLogged('"audit":true');

    expect([answer.status, refused.status]).toEqual([200, 401]);
    expect(JSON.parse(answer.body)).toMatchObject({ resultTable: { rows: [[42]] } });
    const line = log.find((entry) => entry.includes('"audit":true')) ?? '';
    expect(JSON.parse(line)).toMatchObject({
      event: 'call refused',
      reason: 'UNAUTHENTICATED',
      details: 'the token has no role in its claim realm.roles',
      remoteAddress: '127.0.0.1',
    });
    for (const token of [good, roleless]) expect(log.join('\n')).not.toContain(token.split('.')[2]);
  },
);
