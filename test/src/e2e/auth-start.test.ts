import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Readable } from 'node:stream';
import { generate } from 'selfsigned';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { audience, createTokenIssuer, issuerName } from '../builders/jwt-issuer.ts';
import { CliProcess } from './cli-process.ts';

let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'quire-auth-'));
});

afterAll(async () => {
  await rm(directory, { recursive: true, force: true, maxRetries: 10 });
});

test('a broker that is started with keys of tokens and a certificate takes such tokens, over HTTPS, and logs none of them', async () => {
  const issuer = await createTokenIssuer();
  const altNames = [{ type: 7 as const, ip: '127.0.0.1' }];
  const { cert: ca, private: key } = await generate([{ name: 'commonName', value: 'quire test' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    extensions: [{ name: 'subjectAltName', altNames }],
  });
  await Promise.all(
    Object.entries({ 'keys.json': issuer.jwks, 'server.pem': ca, 'server.key': key }).map(([name, content]) =>
      writeFile(join(directory, name), content),
    ),
  );
  const settings = {
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
  await using broker = new CliProcess([
    'start',
    '--roles',
    'broker',
    ...Object.entries(settings).flatMap(([name, value]) => ['--set', `${name}=${value}`]),
  ]);
  const [url = ''] = await broker.untilPrinted(/https:\/\/127\.0\.0\.1:\d+/);
  const query = async (token: string): Promise<{ status: number; body: string }> => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const outgoing = request(`${url}/query/sql`, { method: 'POST', ca, headers });
    outgoing.end('{"sql":"SELECT 42 AS answer"}');
    const [response] = (await once(outgoing, 'response')) as [Readable & { readonly statusCode: number }];
    return { status: response.statusCode, body: await text(response) };
  };
  const exp = Math.floor(Date.now() / 1000) + 600;
  const good = await issuer.sign({ sub: 'ann', exp, realm: { roles: ['query'] } });
  const roleless = await issuer.sign({ sub: 'ann', exp });

  const answer = await query(good);
  const refused = await query(roleless);
  await broker.untilLogged('"audit":true');

  expect([answer.status, refused.status]).toEqual([200, 401]);
  expect(JSON.parse(answer.body)).toMatchObject({ resultTable: { rows: [[42]] } });
  const line = broker.stderr.split('\n').find((entry) => entry.includes('"audit":true')) ?? '';
  expect(JSON.parse(line)).toMatchObject({
    event: 'call refused',
    reason: 'UNAUTHENTICATED',
    details: 'the token has no role in its claim realm.roles',
    remoteAddress: '127.0.0.1',
  });
  for (const token of [good, roleless]) expect(broker.stderr).not.toContain(token.split('.')[2]);
});
