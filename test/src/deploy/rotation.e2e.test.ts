import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { join } from 'node:path';
import { handshakeCodec } from '../../../packages/flight/src/wire/flight-messages.ts';
import { generate } from 'selfsigned';
import { expect, test } from 'vitest';
import { JwtIssuer } from '../../../packages/auth/test/jwt-issuer.ts';
import { CliProcess, propertiesOf, temporaryDirectory } from '../testkit/cli-process.ts';
import { failureOf, FlightTestClient } from '../testkit/flight-test-client.ts';
import { replaceFile } from '../testkit/replace-file.ts';
import { ServerProcess } from '../testkit/servers/server-process.ts';
import { describeWithTool, s3Server } from '../testkit/toolchain.ts';

/** A broker of `quire start` in a process of its own. */
async function startBroker(
  directory: string,
  settings: Readonly<Record<string, string>>,
  variables: Readonly<Record<string, string>> = {},
): Promise<{ readonly server: CliProcess; readonly url: string }> {
  const config = join(directory, 'rotation.properties');
  const own = { 'engine.broker.client.queryPort': '0', 'engine.log.format': 'json' };
  await writeFile(config, propertiesOf({ ...own, ...settings }));
  const server = new CliProcess(['start', '--roles', 'broker', '--config', config], { variables });
  const [, url = ''] = await server.untilPrinted(/broker +(https?:\S+)[^]*Ctrl-C/);
  return { server, url };
}

const basic = (name: string, password: string): string =>
  `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`;

test('secrets in files are rotated while a broker runs: tokens, passwords, the certificate and the keys of web tokens', async () => {
  await using folder = await temporaryDirectory();
  const path = (name: string): string => join(folder.path, name);
  const certify = async (): Promise<readonly [certificate: string, key: string]> => {
    const altNames = [{ type: 7 as const, ip: '127.0.0.1' }];
    const { cert, private: key } = await generate([{ name: 'commonName', value: 'quire test' }], {
      keyType: 'ec',
      algorithm: 'sha256',
      extensions: [{ name: 'subjectAltName', altNames }],
    });
    return [cert, key];
  };
  const [[oldCertificate, oldKey], [newCertificate, newKey]] = [await certify(), await certify()];
  const issuer = await JwtIssuer.create('ES256', 'k1');
  const claims = { sub: 'eve', roles: 'query', iss: 'issuer', aud: 'quire', exp: 4e9 };
  const [oldToken, newToken] = [
    'ann-has-an-old-token-of-32-letters',
    'ann-has-the-new-token-of-32-letters',
  ];
  await writeFile(path('token'), oldToken);
  await writeFile(path('password'), 'the old password of bob');
  await writeFile(path('certificate.pem'), oldCertificate);
  await writeFile(path('key.pem'), oldKey);
  await writeFile(path('jwks.json'), issuer.jwks);
  const { server, url } = await startBroker(folder.path, {
    'engine.broker.pagination.protocol': 'memory',
    'engine.auth.principal.ann.role': 'query',
    'engine.auth.principal.ann.token.file': path('token'),
    'engine.auth.principal.bob.role': 'query',
    'engine.auth.principal.bob.password.file': path('password'),
    'engine.tls.certificate.file': path('certificate.pem'),
    'engine.tls.key.file': path('key.pem'),
    'engine.auth.jwt.jwks.url': path('jwks.json'),
    'engine.auth.jwt.issuer': 'issuer',
    'engine.auth.jwt.audience': 'quire',
    'engine.auth.jwt.jwks.maxAge': '10s',
    'engine.auth.jwt.jwks.cooldown': '1s',
    // The test calls with secrets that are not valid yet.
    'engine.auth.limit.failuresPerMinute': '0',
  });
  await using _server = server;
  const statusOf = async (authorization: string, certificate: string): Promise<number | string> => {
    const headers = { authorization };
    const outgoing = request(`${url}/queries`, { ca: certificate, agent: false, headers }).end();
    try {
      const [response] = (await once(outgoing, 'response')) as [
        NodeJS.ReadableStream & { readonly statusCode: number },
      ];
      response.resume();
      return response.statusCode;
    } catch (error) {
      return (error as NodeJS.ErrnoException).code ?? String(error);
    }
  };
  const credentials = {
    oldToken: `Bearer ${oldToken}`,
    newToken: `Bearer ${newToken}`,
    oldPassword: basic('bob', 'the old password of bob'),
    newPassword: basic('bob', 'the new password of bob'),
  };
  const statuses = async (
    headers: Readonly<Record<string, string>>,
    certificate: string,
  ): Promise<Readonly<Record<string, number | string>>> => {
    const found: Record<string, number | string> = {};
    for (const [name, header] of Object.entries(headers)) {
      found[name] = await statusOf(header, certificate);
    }
    return found;
  };
  const ofFirstKey = { webToken: `Bearer ${await issuer.sign(claims, 'k1')}` };
  expect(await statuses({ ...credentials, ...ofFirstKey }, oldCertificate)).toEqual({
    oldToken: 200,
    newToken: 401,
    oldPassword: 200,
    newPassword: 401,
    webToken: 200,
  });

  await replaceFile(path('token'), newToken);
  await replaceFile(path('password'), 'the new password of bob');
  await replaceFile(path('key.pem'), newKey);
  await replaceFile(path('certificate.pem'), newCertificate);
  await expect.poll(() => statusOf(credentials.newToken, newCertificate)).toBe(200);
  await expect
    .poll(() => statuses(credentials, newCertificate))
    .toEqual({ oldToken: 401, newToken: 200, oldPassword: 401, newPassword: 200 });
  expect(await statusOf(credentials.newToken, oldCertificate)).not.toBe(200);

  // First, the new key is added beside the old one: tokens of both are valid.
  await issuer.addKey('k2');
  await replaceFile(path('jwks.json'), issuer.jwks);
  const ofBothKeys = {
    first: ofFirstKey.webToken,
    second: `Bearer ${await issuer.sign(claims, 'k2')}`,
  };
  await expect
    .poll(() => statuses(ofBothKeys, newCertificate))
    .toEqual({ first: 200, second: 200 });
  issuer.removeKey('k1');
  await replaceFile(path('jwks.json'), issuer.jwks);
  await expect
    .poll(() => statuses(ofBothKeys, newCertificate))
    .toEqual({ first: 401, second: 200 });
});

test('the token of a controller and of a scrape passes to a second principal while both servers run, and no call of the controller fails', async () => {
  await using folder = await temporaryDirectory();
  const path = (name: string): string => join(folder.path, name);
  const old = 'the-old-token-of-all-operators-here';
  const next = 'the-new-token-of-all-operators-here';
  for (const [name, text] of [
    ['first', old],
    ['second', 'nobody-has-this-token-before-its-day'],
    ['controller', old],
    ['scrape', old],
  ] as const) {
    await writeFile(path(name), text);
  }
  const principals = {
    'engine.auth.principal.first.role': 'admin',
    'engine.auth.principal.first.token.file': path('first'),
    'engine.auth.principal.second.role': 'admin',
    'engine.auth.principal.second.token.file': path('second'),
    'engine.auth.limit.failuresPerMinute': '0',
  };
  const { server: broker, url } = await startBroker(folder.path, {
    'engine.broker.pagination.protocol': 'memory',
    ...principals,
  });
  await using _broker = broker;
  const config = path('controller.properties');
  await writeFile(
    config,
    propertiesOf({
      'controller.brokers': url,
      'controller.port': '0',
      'controller.admin.auth.provider.class': 'UrlAuthProvider',
      'controller.admin.auth.url': path('controller'),
      'controller.cluster.pagination.cleaner.initialDelay': '0s',
      'controller.cluster.pagination.cleaner.frequencyPeriod': '1s',
      ...principals,
    }),
  );
  await using controller = new CliProcess(['start', '--roles', 'controller', '--config', config]);
  const [, controllerUrl = ''] = await controller.untilPrinted(/controller +(http:\S+)[^]*Ctrl-C/);
  // Prometheus reads the file of its credentials at each scrape.
  const scrape = async (of: string): Promise<readonly [status: number, text: string]> => {
    const authorization = `Bearer ${await readFile(path('scrape'), 'utf8')}`;
    const response = await fetch(`${of}/metrics`, { headers: { authorization } });
    return [response.status, await response.text()];
  };
  const scraped = async (): Promise<readonly number[]> =>
    Promise.all([url, controllerUrl].map(async (each) => (await scrape(each))[0]));
  const runs = async (outcome: string): Promise<number> => {
    const [, text] = await scrape(controllerUrl);
    const pattern = `^quire_controller_expiry_runs_total\\{outcome="${outcome}"\\} (\\d+)$`;
    return Number(new RegExp(pattern, 'm').exec(text)?.[1] ?? 0);
  };
  const statusWith = async (token: string): Promise<readonly number[]> =>
    Promise.all(
      [url, controllerUrl].map(async (each) => {
        const headers = { authorization: `Bearer ${token}` };
        return (await fetch(`${each}/metrics`, { headers })).status;
      }),
    );
  await broker.untilLogged('"principal":"first"');
  expect([await scraped(), await statusWith(next)]).toEqual([
    [200, 200],
    [401, 401],
  ]);

  await replaceFile(path('second'), next);
  await expect.poll(() => statusWith(next)).toEqual([200, 200]);
  await replaceFile(path('scrape'), next);
  await replaceFile(path('controller'), next);
  await broker.untilLogged('"principal":"second"');
  await replaceFile(path('first'), 'nobody-has-this-token-after-its-day');
  await expect.poll(() => statusWith(old)).toEqual([401, 401]);
  expect(await scraped()).toEqual([200, 200]);
  const before = await runs('ok');
  expect(before).toBeGreaterThan(0);
  await expect.poll(() => runs('ok')).toBeGreaterThan(before + 1);
  expect(await runs('failed')).toBe(0);
});

describeWithTool(s3Server, 'secrets that count from the next start', (s3Path) => {
  test('a broker that starts with other keys serves what it stored before: tokens, keys of the bucket and its links, of owner tags and of Flight SQL', async () => {
    await using folder = await temporaryDirectory();
    const keys = (secret: string) => ({
      'engine.broker.pagination.s3.access.key': 'quire-test',
      'engine.broker.pagination.s3.secret.key': secret,
      'engine.broker.pagination.owner.tag.key': `owner-tags-${secret}`,
      'engine.broker.flight.token.key': `flight-tokens-${secret}`,
      'engine.auth.principal.bob.token.sha256': createHash('sha256')
        .update(`bob-has-${secret}-of-32-letters`)
        .digest('hex'),
    });
    let secret = 'the-old-secret';
    await using bucket = await ServerProcess.start({
      path: s3Path,
      args: (port, home) =>
        `--port 127.0.0.1:${port} --access quire-test --secret ${secret} --region eu-central-1 --quiet`
          .split(' ')
          .concat('posix', '--sidecar', join(home, 'attributes'), join(home, 'buckets')),
      prepare: async (home) => {
        await mkdir(join(home, 'attributes'), { recursive: true });
        await mkdir(join(home, 'buckets/results'), { recursive: true });
      },
    });
    const start = () =>
      startBroker(
        folder.path,
        {
          'engine.broker.id': 'rotated',
          'engine.broker.pagination.protocol': 's3',
          'engine.broker.pagination.s3.data.dir': 's3://results/rotation',
          'engine.broker.pagination.s3.endpoint': `http://127.0.0.1:${bucket.port}`,
          'engine.broker.pagination.s3.path.style': 'true',
          'engine.broker.storage.factory.s3.region': 'eu-central-1',
          'engine.broker.pagination.cache.maxMB': '0',
          'engine.broker.links.enabled': 'true',
          'engine.broker.flight.port': '0',
          'engine.auth.principal.ann.role': 'admin',
          'engine.auth.principal.ann.token.env': 'ANN_TOKEN',
          'engine.auth.principal.ann.password.env': 'ANN_TOKEN',
          'engine.auth.principal.bob.role': 'query',
          ...keys(secret),
        },
        { ANN_TOKEN: `ann-with-${secret}-of-32-letters` },
      );
    const authorizationOf = (name: 'ann' | 'bob', of: string): string =>
      name === 'ann'
        ? basic('ann', `ann-with-${of}-of-32-letters`)
        : `Bearer bob-has-${of}-of-32-letters`;
    const call = (url: string, authorization: string, body?: object): Promise<Response> =>
      fetch(url, {
        headers: { authorization, ...(body && { 'content-type': 'application/json' }) },
        ...(body && { method: 'POST', body: JSON.stringify(body) }),
      });
    const read = async (url: string, authorization?: string) => {
      const response = await fetch(
        url,
        authorization === undefined ? {} : { headers: { authorization } },
      );
      return { status: response.status, text: await response.text() };
    };
    const query = { sql: 'SELECT range AS n FROM range(100000)' };
    const store = async (url: string, authorization: string): Promise<string> => {
      const stored = await call(`${url}/query/sql?doPaginate=true`, authorization, query);
      return ((await stored.json()) as { readonly requestId: string }).requestId;
    };
    const linkOf = async (url: string, id: string, authorization: string): Promise<string> => {
      const answer = await call(`${url}/query/${id}/link`, authorization);
      return ((await answer.json()) as { readonly url: string }).url;
    };
    const signIn = async (server: CliProcess, authorization: string) => {
      const [, flightUrl = ''] = await server.untilPrinted(/flight +(grpc:\S+)/);
      const client = new FlightTestClient(flightUrl.replace('grpc:', 'http:'), { authorization });
      const { headers } = await client.call('Handshake', handshakeCodec.encode({}));
      return { client, token: String(headers['authorization']) };
    };

    const before = await start();
    const ids = {
      ann: await store(before.url, authorizationOf('ann', secret)),
      bob: await store(before.url, authorizationOf('bob', secret)),
    };
    const pagePath = `/query/${ids.bob}/results?offset=90000&numRows=3`;
    const page = await read(before.url + pagePath, authorizationOf('bob', secret));
    expect(page.status).toBe(200);
    const oldLink = await linkOf(before.url, ids.bob, authorizationOf('bob', secret));
    expect((await read(oldLink)).status).toBe(200);
    const session = await signIn(before.server, authorizationOf('ann', secret));
    await session.client.as({ authorization: session.token }).run(query.sql);
    await session.client[Symbol.asyncDispose]();

    before.server.signal('SIGTERM');
    expect((await before.server.ended()).exitCode).toBe(0);
    const oldSecret = secret;
    secret = 'the-new-secret';
    await bucket.restart();
    const { server, url } = await start();
    await using _server = server;

    for (const name of ['ann', 'bob'] as const) {
      const path = `${url}/query/${ids[name]}/results?offset=0`;
      expect((await read(path, authorizationOf(name, oldSecret))).status).toBe(401);
      expect((await read(path, authorizationOf(name, secret))).status).toBe(200);
    }
    expect(await read(url + pagePath, authorizationOf('bob', secret))).toEqual(page);
    // Links are signed with the keys of the bucket: earlier ones become invalid.
    expect((await read(oldLink)).status).toBe(403);
    const link = await linkOf(url, ids.bob, authorizationOf('bob', secret));
    expect((await read(link)).status).toBe(200);
    // Clients of Flight SQL sign in again.
    const again = await signIn(server, authorizationOf('ann', secret));
    await using flight = again.client;
    const refused = await failureOf(flight.as({ authorization: session.token }).run(query.sql));
    expect(refused.reason).toBe('UNAUTHENTICATED');
    await flight.as({ authorization: again.token }).run(query.sql);
    expect(await store(url, authorizationOf('bob', secret))).not.toBe(ids.bob);
  });
});
