import { FlightSQLClient } from '@firetiger-oss/flight-sql-client';
import { Client } from '@lancedb/arrow-flight-sql-client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Authenticator, hashToken, parsePrincipals, SessionTokens } from '@quire/auth';
import { systemClock } from '@quire/core';
import { TestBroker } from '../testkit/broker-server.ts';

/** Clients of npm, unchanged, against a broker. */

let broker: TestBroker;
let port: number;

beforeAll(async () => {
  const principals = await parsePrincipals(
    [{ name: 'ann', role: 'query', tokenSha256: hashToken('ann-token') }],
    { environment: {}, readFile: async () => '' },
  );
  const sessions = new SessionTokens({
    key: 'sixteen letters!',
    clock: systemClock,
    lifetimeMs: () => 60_000,
  });
  const authenticator = new Authenticator(principals, { sessions });
  broker = await TestBroker.start({
    flight: {
      port: 0,
      expirationMs: 600_000,
      messageBytesMax: 1024 * 1024,
      issueToken: (name) => authenticator.issueToken(name),
    },
    authenticate: (header) => authenticator.authenticate(header),
    clock: systemClock,
  });
  port = Number(new URL(broker.address.endpointUrls?.[0] ?? '').port);
});

afterAll(() => broker[Symbol.asyncDispose]());

const numbersOf = (rows: readonly { readonly n: unknown }[]): number[] =>
  rows.map(({ n }) => Number(n));
const counted = (count: number): number[] => Array.from({ length: count }, (_, n) => n);

describe('@firetiger-oss/flight-sql-client', () => {
  test('@firetiger-oss/flight-sql-client reads all rows of a query, with a bearer token', async () => {
    const client = new FlightSQLClient({
      host: '127.0.0.1',
      port,
      plaintext: true,
      token: 'ann-token',
    });
    const table = await client.execute('rows 5000');
    expect(numbersOf(table.toArray() as { n: unknown }[])).toEqual(counted(5000));
    await expect(client.execute('fail QUERY_SYNTAX')).rejects.toThrow(/QUERY_SYNTAX|scripted/);
    await client.close();
  });
});

describe('@lancedb/arrow-flight-sql-client', () => {
  test('@lancedb/arrow-flight-sql-client logs in with a name and a token, and reads all rows of a query', async () => {
    const client = await Client.connect({
      host: `127.0.0.1:${port}`,
      username: 'ann',
      password: 'ann-token',
      insecure: true,
    });
    const result = await client.query('rows 5000');
    expect(numbersOf((await result.collectToObjects()) as { n: unknown }[])).toEqual(counted(5000));
  });

  test('@lancedb/arrow-flight-sql-client is refused with a wrong password', async () => {
    const connecting = Client.connect({
      host: `127.0.0.1:${port}`,
      username: 'ann',
      password: 'wrong',
      insecure: true,
    });
    await expect(connecting).rejects.toThrow(/UNAUTHENTICATED/);
  });
});
