import { Authenticator, hashToken, JwkSet, JwtVerifier, parsePrincipals } from '@quire/auth';
import { ManualClock } from '@quire/core/testing';
import type { JWTPayload } from 'jose';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  audience,
  createTokenIssuer,
  issuerName,
  type TokenIssuer,
} from '../testkit/builders/jwt-issuer.ts';
import { type LogLine, recordingLogger } from '../testkit/broker-log.ts';
import { TestBroker } from '../testkit/broker-server.ts';
import type { Answer } from '../testkit/http-caller.ts';

let issuer: TokenIssuer;
let stranger: TokenIssuer;
const clock = new ManualClock();
const nowSeconds = clock.nowMs() / 1000;

beforeAll(async () => {
  issuer = await createTokenIssuer();
  stranger = await createTokenIssuer();
});

function verifierOf(read: ConstructorParameters<typeof JwkSet>[0]['read']): JwtVerifier {
  const keys = new JwkSet({
    read,
    clock,
    maxAgeMs: 600_000,
    cooldownMs: 30_000,
    onProblem: () => undefined,
  });
  return new JwtVerifier({
    keys,
    clock,
    issuer: issuerName,
    audience,
    algorithms: ['ES256'],
    clockToleranceMs: 0,
    subjectClaim: 'sub',
    roleClaim: 'roles',
    roleWords: { admin: 'admin', query: 'query' },
    roleDefault: undefined,
  });
}

/** Returns the authenticator of a broker with JSON Web Tokens and one configured principal. */
async function authenticatorOf(): Promise<Authenticator> {
  const principals = await parsePrincipals(
    [{ name: 'ann', role: 'query', tokenSha256: hashToken('ann-static') }],
    {
      environment: {},
      readFile: () => Promise.reject(new Error('There are no files.')),
    },
  );
  const jwt = verifierOf(async () => issuer.jwks);
  return new Authenticator(principals, { jwt });
}

/** Two brokers on one shared store, each of which authenticates by itself. */
async function startTwo(log: LogLine[] = []): Promise<readonly [TestBroker, TestBroker]> {
  const [one, other] = [await authenticatorOf(), await authenticatorOf()];
  const logger = recordingLogger(log);
  const first = await TestBroker.start(
    { authenticate: (header) => one.authenticate(header), logger },
    { isShared: true },
  );
  const second = await TestBroker.start(
    { authenticate: (header) => other.authenticate(header), logger },
    { isShared: true, store: first.store, clock: first.clock, brokerId: 'Broker_127.0.0.1_8098' },
  );
  return [first, second];
}

function call(broker: TestBroker, path: string, token: string, method = 'GET'): Promise<Answer> {
  return broker.call(path, {
    method,
    as: undefined,
    headers: { authorization: `Bearer ${token}` },
  });
}

async function store(broker: TestBroker, token: string): Promise<string> {
  const headers = { authorization: `Bearer ${token}` };
  const answer = await broker.query('rows 10', '?doPaginate=true&numRows=1', {
    as: undefined,
    headers,
  });
  return answer.json().requestId;
}

const claimsOf = (sub: string, roles = 'query') => ({ sub, roles, exp: nowSeconds + 60 });

test("a result belongs to the subject of the token on every broker, and to nobody else's", async () => {
  const [one, other] = await startTwo();
  await using _one = one;
  await using _other = other;
  const [ann, bob, root] = await Promise.all([
    issuer.sign(claimsOf('ann')),
    issuer.sign(claimsOf('bob')),
    issuer.sign(claimsOf('root', 'admin')),
  ]);
  const requestId = await store(one, ann);
  const page = `/query/${requestId}/results?offset=0`;

  // The same name in the settings is another principal: an issuer of tokens cannot take it over,
  // nor the reverse.
  const statuses = async (broker: TestBroker): Promise<number[]> =>
    Promise.all(
      [ann, bob, 'ann-static', root].map(async (token) => (await call(broker, page, token)).status),
    );
  expect(await statuses(one)).toEqual([200, 404, 404, 200]);
  expect(await statuses(other)).toEqual([200, 404, 404, 200]);

  const never = await call(
    other,
    '/query/0190163d-8694-739b-aea5-966c26f8ad91/results?offset=0',
    bob,
  );
  const foreign = await call(other, page, bob);
  expect(foreign.text.replaceAll(requestId, '0190163d-8694-739b-aea5-966c26f8ad91')).toBe(
    never.text,
  );

  // A newer token of the same subject suffices; the owner may delete and renew as well.
  const renewed = await issuer.sign({ ...claimsOf('ann'), exp: nowSeconds + 600 });
  expect((await call(other, `/query/resultStore/${requestId}`, bob, 'DELETE')).status).toBe(404);
  expect((await call(other, `/query/resultStore/${requestId}`, renewed, 'DELETE')).status).toBe(
    200,
  );
  expect((await call(one, page, bob)).status).toBe(404);
});

describe('a token that is refused', () => {
  const unsigned = (header: object, claims: object): string =>
    `${[header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')}.`;
  const good: JWTPayload = {
    iss: issuerName,
    aud: audience,
    ...claimsOf('secret-subject', 'admin'),
  };
  const tokens: readonly [string, () => Promise<string> | string, string][] = [
    ['is expired', () => issuer.sign({ ...good, exp: nowSeconds }), 'the token has expired'],
    [
      'is signed by somebody else',
      () => stranger.sign(good),
      'the signature of the token is not valid',
    ],
    [
      'is for somebody else',
      () => issuer.sign({ ...good, aud: 'other' }),
      "the token's claim aud does not have the required value",
    ],
    [
      'is by somebody else',
      () => issuer.sign({ ...good, iss: 'other' }),
      "the token's claim iss does not have the required value",
    ],
    [
      'is of nobody',
      () => issuer.sign(claimsOf('')),
      'the token has no claim sub of 1 to 255 printable characters',
    ],
    [
      'is not signed',
      () => unsigned({ alg: 'none', kid: 'k1' }, good),
      'the token is signed with an algorithm that is not allowed',
    ],
    [
      'is signed with what everybody knows',
      () => `${unsigned({ alg: 'HS256', kid: 'k1' }, good)}AAAA`,
      'the token is signed with an algorithm that is not allowed',
    ],
  ];

  test.each(tokens)(
    'a token that is refused because it %s gets the same answer as any other, and leaves nothing of itself in the log',
    async (...args) => {
      const [, make, details] = args;
      const token = await make();
      const log: LogLine[] = [];
      const [one, other] = await startTwo(log);
      await using _one = one;
      await using _other = other;

      const answer = await call(one, '/query/resultStore', token);
      await one.broker.close();

      expect(answer.json()).toEqual({
        code: 401,
        error: 'The credentials are wrong.',
        reason: 'UNAUTHENTICATED',
      });
      expect(answer.headers.get('www-authenticate')).toContain('Bearer');
      expect(log.filter((line) => line['audit'] === true)).toEqual([
        {
          level: 'info',
          msg: 'call refused',
          requestId: answer.headers.get('x-request-id'),
          audit: true,
          event: 'call refused',
          principal: undefined,
          remoteAddress: '127.0.0.1',
          reason: 'UNAUTHENTICATED',
          details,
          method: 'GET',
          route: '/query/resultStore',
        },
      ]);
      const logged = JSON.stringify(log, (_key, value: unknown) =>
        value instanceof Error ? [value.stack, value.cause] : value,
      );
      const parts = [...token.split('.').filter((text) => text.length > 4), 'secret-subject'];
      expect(parts.filter((part) => logged.includes(part))).toEqual([]);
      expect(one.store.calls).toEqual([]);
    },
  );
});

test('while the keys cannot be read, nobody is called a liar', async () => {
  const verifier = verifierOf(async () => 'no keys');
  const authenticator = new Authenticator([], { jwt: verifier });
  await using broker = await TestBroker.start({
    authenticate: (header) => authenticator.authenticate(header),
  });
  const answer = await call(broker, '/metrics', await issuer.sign(claimsOf('ann')));
  expect(answer.json()).toMatchObject({ code: 503, reason: 'AUTHENTICATION_UNAVAILABLE' });
});
