import { createHash } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CallLimits, Authenticator, SessionTokens } from '@quire/auth';
import { BrokerMetrics } from '@quire/broker';
import { MemoryObjectStore } from '@quire/core/memory';
import { ManualClock } from '@quire/core/testing';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import {
  cancelFlightInfoRequestCodec,
  cancelFlightInfoResultCodec,
  flightDescriptorCodec,
  flightEndpointCodec,
  handshakeCodec,
  renewFlightEndpointRequestCodec,
} from '../../flight/src/wire/flight-messages.ts';
import {
  packActionBody,
  packCommand,
  unpackActionBody,
} from '../../flight/src/wire/sql-messages.ts';
import { framed } from '../../../test/src/testkit/grpc-test-client.ts';
import { recordingLogger, type LogLine } from '../../../test/src/testkit/broker-log.ts';
import { TestBroker } from '../../../test/src/testkit/broker-server.ts';
import {
  failureOf,
  firstTicket,
  FlightTestClient,
  pathOf,
  requestIdOf,
  statementOf,
  ticketOf,
} from '../../../test/src/testkit/flight-test-client.ts';

const flight = { port: 0, expirationMs: 600_000, messageBytesMax: 65_536 };
const tempDirectory = mkdtempSync(join(tmpdir(), 'quire-flight-'));
const lines: LogLine[] = [];
let broker: TestBroker;
const open: FlightTestClient[] = [];

beforeAll(async () => {
  broker = await TestBroker.start(
    {
      flight,
      logger: recordingLogger(lines),
      listTables: async () => ['flights', 'odd"name'],
      dialects: {
        known: ['duckdb', 'pinot'],
        defaultOf: (name) => (name === 'bob' ? 'pinot' : 'duckdb'),
      },
    },
    { tempDirectory },
  );
});

afterEach(async () => {
  await Promise.all(open.splice(0).map((client) => client[Symbol.asyncDispose]()));
  await broker.engine.untilIdle();
});

afterAll(async () => {
  await broker[Symbol.asyncDispose]();
  await rm(tempDirectory, { recursive: true });
});

function connect(as?: 'ann' | 'bob' | 'root', to = broker): FlightTestClient {
  const headers: Record<string, string> =
    as === undefined ? {} : { authorization: `Bearer ${as}-token` };
  const client = new FlightTestClient(to.address.endpointUrls?.[0] ?? '', headers);
  open.push(client);
  return client;
}

describe('a statement', () => {
  test('a statement is stored, and its rows are those that HTTP has under the same id', async () => {
    const client = connect('ann');
    const info = await client.run('rows 250');
    expect(info).toMatchObject({
      totalRecords: 250n,
      isOrdered: true,
      endpoints: [{ locations: [] }],
    });
    const rows = await client.readAll(info);
    expect(rows).toHaveLength(250);
    const requestId = requestIdOf(info);
    const page = await broker.call(`/query/${requestId}/results?offset=0&numRows=250`);
    const json = JSON.stringify(page.json().resultTable?.rows);
    const shown = rows.map((row) =>
      row.map((cell) => (typeof cell === 'bigint' ? Number(cell) : cell)),
    );
    expect(JSON.stringify(shown)).toBe(json);
    expect(lines).toContainEqual(expect.objectContaining({ requestId, msg: 'query stored' }));
  });

  test('a statement is in the language that it names, else in that of its principal', async () => {
    const cases = [
      ['ann', 'rows 1', 'duckdb'],
      ['bob', 'rows 1', 'pinot'],
      ['ann', "SET dialect = 'pinot'; rows 1", 'pinot'],
    ] as const;
    for (const [as, sql, dialect] of cases) {
      await connect(as).run(sql);
      expect(broker.engine.queries.at(-1)).toMatchObject({ sql: 'rows 1', dialect });
    }
  });

  test('a statement lives as long as the expiration of Flight says', async () => {
    const info = await connect('ann').run('rows 1');
    const expiresMs = broker.clock.nowMs() + flight.expirationMs;
    expect(Number(info.endpoints[0]?.expirationTime?.seconds)).toBe(Math.floor(expiresMs / 1000));
  });

  test('a statement of no rows has its schema, and no batch', async () => {
    const client = connect('ann');
    const info = await client.run('rows 0');
    const { table, batchCount } = await client.read(firstTicket(info));
    expect([table.numRows, batchCount]).toEqual([0, 0]);
    expect(table.schema.fields.map(({ name }) => name)).toEqual(['n', 'big', 'text']);
  });

  test('a statement that fails has the status of its error, and leaves nothing', async () => {
    const client = connect('ann');
    const failure = await failureOf(client.run('fail QUERY_SYNTAX'));
    expect([failure.answer.status, failure.reason]).toEqual([3, 'QUERY_SYNTAX']);
    const crash = await failureOf(client.run('crash'));
    expect([crash.answer.status, crash.reason]).toEqual([13, 'INTERNAL']);
    expect(crash.message).not.toContain('/var/lib');
  });

  test('a statement whose caller leaves is cancelled, and its slot is free', async () => {
    const client = connect('ann');
    const stream = client.grpc.open('/arrow.flight.protocol.FlightService/GetFlightInfo', {
      authorization: 'Bearer ann-token',
    });
    stream.end(framed(flightDescriptorCodec.encode(statementOf('hang'))));
    await broker.engine.untilHanging();
    stream.close(8);
    await broker.engine.untilIdle();
    expect((await client.run('rows 1')).totalRecords).toBe(1n);
  });

  test('a statement in a transaction, or as a Substrait plan, is refused', async () => {
    const client = connect('ann');
    const transactionId = Uint8Array.of(1);
    const command = packCommand('CommandStatementQuery', { query: 'rows 1', transactionId });
    const refused = await failureOf(client.info({ type: 2, command, path: [] }));
    expect([refused.answer.status, refused.reason]).toEqual([12, 'UNSUPPORTED']);
  });
});

describe('rows', () => {
  test('rows come in batches as they are stored, and in smaller ones where they are too large', async () => {
    const client = connect('ann');
    const stored = await client.read(firstTicket(await client.run('rows 3000')));
    const small = await TestBroker.start({ flight: { ...flight, messageBytesMax: 2048 } });
    const other = connect('ann', small);
    const parted = await other.read(firstTicket(await other.run('rows 3000')));
    expect(parted.batchCount).toBeGreaterThan(2 * stored.batchCount);
    expect(parted.table.toString()).toBe(stored.table.toString());
    await other[Symbol.asyncDispose]();
    await small[Symbol.asyncDispose]();
  });

  test.each([
    [0, 10],
    [1995, 1010],
    [2999, 1],
    [3000, 5],
  ])('rows from offset %i, %i of them, are those rows', async (offset, rowCount) => {
    const client = connect('ann');
    const requestId = requestIdOf(await client.run('rows 3000'));
    const ticket = ticketOf({ version: 1, requestId, offset, rowCount });
    const { table } = await client.read(ticket);
    const numbers = table.getChild('n')?.toJSON() ?? [];
    const end = Math.min(3000, offset + rowCount);
    expect(numbers).toEqual(Array.from({ length: end - offset }, (_, index) => offset + index));
  });

  test('rows can be read again, and no more once the result has expired', async () => {
    const client = connect('ann');
    const ticket = firstTicket(await client.run('rows 5'));
    expect((await client.read(ticket)).table.numRows).toBe(5);
    expect((await client.read(ticket)).table.numRows).toBe(5);
    broker.clock.stepWallClock(flight.expirationMs);
    const failure = await failureOf(client.read(ticket));
    expect([failure.answer.status, failure.reason]).toEqual([5, 'RESULT_EXPIRED']);
  });

  test('rows of another principal look like those of an id that never existed', async () => {
    const ticket = firstTicket(await connect('ann').run('rows 5'));
    const bob = connect('bob');
    const foreign = await failureOf(bob.read(ticket));
    const never = '01a205fe-d4e2-7496-af67-8a5ec1c39c6b';
    const unknown = await failureOf(
      bob.read(ticketOf({ version: 1, requestId: never, offset: 0 })),
    );
    expect(foreign.answer.status).toBe(5);
    expect(foreign.reason).toBe(unknown.reason);
    const withoutId = (text: string): string => text.replaceAll(/[0-9a-f-]{36}/g, '…');
    expect(withoutId(foreign.message)).toBe(withoutId(unknown.message));
    const refused = lines.filter(({ msg }) => msg === 'call refused').at(-1);
    expect(refused).toMatchObject({ audit: true, principal: 'bob', reason: 'RESULT_NOT_FOUND' });
    expect((await connect('root').read(ticket)).table.numRows).toBe(5);
  });

  test.each([
    ['forged', ticketOf({ version: 1, requestId: '../../etc', offset: 0 })],
    ['of another version', ticketOf({ version: 2, requestId: 'x' })],
    [
      'with a negative offset',
      ticketOf({ version: 1, requestId: '01a205fe-d4e2-7496-af67-8a5ec1c39c6b', offset: -1 }),
    ],
    ['that is not JSON', ticketOf(undefined)],
  ])('rows by a ticket %s are refused', async (_what, ticket) => {
    const failure = await failureOf(connect('ann').read(ticket));
    expect(failure.message).toContain('was not issued by this version of Quire');
  });
});

describe('callers', () => {
  test('callers without credentials, or with wrong ones, are refused and audited', async () => {
    for (const as of [undefined, 'Bearer wrong']) {
      const client = connect().as(as === undefined ? {} : { authorization: as });
      const failure = await failureOf(client.run('rows 1'));
      expect([failure.answer.status, failure.reason]).toEqual([16, 'UNAUTHENTICATED']);
    }
    expect(
      lines.filter(({ audit, reason }) => audit === true && reason === 'UNAUTHENTICATED'),
    ).not.toEqual([]);
    expect(JSON.stringify(lines)).not.toContain('wrong"');
  });

  test('callers get a token for their password, which is void once the password is replaced', async () => {
    const clock = new ManualClock();
    const ann = (password: string) => ({
      name: 'ann',
      role: 'query' as const,
      tokenDigest: undefined,
      passwordDigest: sha256(password),
      passwordHash: undefined,
    });
    const sessions = new SessionTokens({
      key: 'sixteen letters!',
      clock,
      lifetimeMs: () => 60_000,
    });
    const authenticator = new Authenticator([ann('one')], { sessions });
    const guarded = await TestBroker.start({
      flight: { ...flight, issueToken: (name) => authenticator.issueToken(name) },
      authenticate: (header) => authenticator.authenticate(header),
    });
    const client = connect(undefined, guarded);
    const basic = `Basic ${Buffer.from('ann:one').toString('base64')}`;
    const answer = await client
      .as({ authorization: basic })
      .call('Handshake', handshakeCodec.encode({}));
    const token = String(answer.headers['authorization']);
    expect(token).toMatch(/^Bearer quire1\./);
    expect((await client.as({ authorization: token }).run('rows 3')).totalRecords).toBe(3n);
    const forged = token.replace(/.{4}$/, 'AAAA');
    const failure = await failureOf(client.as({ authorization: forged }).run('rows 3'));
    expect(failure.reason).toBe('UNAUTHENTICATED');
    authenticator.replacePrincipals([ann('two')]);
    const void1 = await failureOf(client.as({ authorization: token }).run('rows 3'));
    expect(void1.reason).toBe('UNAUTHENTICATED');
    authenticator.replacePrincipals([ann('one')]);
    await clock.advance(60_000);
    const late = await failureOf(client.as({ authorization: token }).run('rows 3'));
    expect(late.reason).toBe('UNAUTHENTICATED');
    await client[Symbol.asyncDispose]();
    await guarded[Symbol.asyncDispose]();
  });

  test('callers that ask too much are told when to try again', async () => {
    const clock = new ManualClock();
    const limits = new CallLimits(
      () => ({ callsPerSecondMax: 1, callsRunningMax: Infinity, failuresPerMinuteMax: Infinity }),
      clock,
    );
    const limited = await TestBroker.start({ flight, limits });
    const client = connect('ann', limited);
    await client.run('rows 1');
    const failure = await failureOf(client.run('rows 1'));
    expect([failure.answer.status, failure.reason]).toEqual([8, 'TOO_MANY_REQUESTS']);
    expect(failure.answer.headers['retry-after']).toBe('1');
    await client[Symbol.asyncDispose]();
    await limited[Symbol.asyncDispose]();
  });

  test('callers share the slots for queries with those of HTTP', async () => {
    const shared = await TestBroker.start({ flight, queriesRunningMax: 1, queriesQueuedMax: 0 });
    const running = shared.query('hang', '?doPaginate=true');
    await shared.engine.untilHanging();
    const failure = await failureOf(connect('ann', shared).run('rows 1'));
    expect([failure.answer.status, failure.reason]).toEqual([8, 'TOO_MANY_QUERIES']);
    const queries = (await shared.call('/queries')).json<{ queries: { requestId: string }[] }>();
    await shared.call(`/query/${queries.queries[0]?.requestId}`, { method: 'DELETE' });
    await running;
    await Promise.all(open.splice(0).map((client) => client[Symbol.asyncDispose]()));
    await shared[Symbol.asyncDispose]();
  });

  test('callers are counted in the metrics, by method and status', async () => {
    const metrics = new BrokerMetrics();
    await using counted = await TestBroker.start({ flight, metrics });
    const client = connect('ann', counted);
    const ticket = firstTicket(await client.run('rows 3'));
    await client.read(ticket);
    await client.read(ticket);
    await failureOf(client.run('fail QUERY_SYNTAX'));
    // A call is counted when its stream has closed, which its client may see first.
    await counted.broker.close();
    const { text } = await metrics.render({ isAdmin: false });
    const shown = /^quire_(?:http_request_duration_seconds_count|rows_served_total)\{/;
    const calls = 'quire_http_request_duration_seconds_count{method="POST",route=';
    const service = '/arrow.flight.protocol.FlightService';
    const samples = text.split('\n').filter((line) => shown.test(line));
    expect(samples.toSorted()).toEqual([
      `${calls}"${service}/DoGet",status="200"} 2`,
      `${calls}"${service}/GetFlightInfo",status="200"} 1`,
      `${calls}"${service}/GetFlightInfo",status="400"} 1`,
      'quire_rows_served_total{format="flight"} 6',
    ]);
  });
});

describe('a stored result', () => {
  test('a stored result of HTTP is found by its path, without a query', async () => {
    const requestId = await broker.stored(12);
    const count = broker.engine.queries.length;
    const client = connect('ann');
    const info = await client.info(pathOf(requestId));
    expect([info.totalRecords, requestIdOf(info)]).toEqual([12n, requestId]);
    expect(await client.readAll(info)).toHaveLength(12);
    expect(broker.engine.queries).toHaveLength(count);
    const failure = await failureOf(client.info(pathOf('nonsense')));
    expect(failure.message).toContain('expected the id of a query');
  });

  test('a stored result is renewed by its endpoint', async () => {
    const client = connect('ann');
    const [endpoint] = (await client.run('rows 1')).endpoints;
    await broker.clock.advance(5000);
    const [body] = await client.act(
      'RenewFlightEndpoint',
      renewFlightEndpointRequestCodec.encode({ endpoint }),
    );
    const renewed = flightEndpointCodec.decode(body ?? new Uint8Array(0));
    const seconds = Math.floor((broker.clock.nowMs() + flight.expirationMs) / 1000);
    expect(Number(renewed.expirationTime?.seconds)).toBe(seconds);
    expect(renewed.ticket).toEqual(endpoint?.ticket);
  });

  test('a stored result is deleted by CancelFlightInfo, for its owner only', async () => {
    const ann = connect('ann');
    const info = await ann.run('rows 1');
    const body = cancelFlightInfoRequestCodec.encode({ info });
    const foreign = await failureOf(connect('bob').act('CancelFlightInfo', body));
    expect(foreign.answer.status).toBe(5);
    const [result] = await ann.act('CancelFlightInfo', body);
    expect(cancelFlightInfoResultCodec.decode(result ?? new Uint8Array(0)).status).toBe(1);
    expect((await failureOf(ann.read(firstTicket(info)))).reason).toBe('RESULT_DELETED');
    expect(lines).toContainEqual(
      expect.objectContaining({ audit: true, event: 'result deleted', principal: 'ann' }),
    );
  });

  test('a stored result answers the same statement again where the settings say so', async () => {
    const reusing = await TestBroker.start({ flight, reuse: { ageMaxMs: 0 } });
    reusing.engine.version = 'one';
    const client = connect('ann', reusing);
    const first = await client.run('rows 7');
    const second = await client.run('rows 7');
    expect(requestIdOf(second)).toBe(requestIdOf(first));
    expect(new TextDecoder().decode(second.appMetadata)).toContain('"isReused":true');
    expect(reusing.engine.queries).toHaveLength(1);
    await client[Symbol.asyncDispose]();
    await reusing[Symbol.asyncDispose]();
  });
});

describe('brokers of one store', () => {
  test('brokers of one store take tickets and prepared statements of each other, and say where a query runs', async () => {
    const store = new MemoryObjectStore({ sizeMaxBytes: 2 ** 26 });
    const startAs = (brokerId: string): Promise<TestBroker> =>
      TestBroker.start(
        { flight, advertised: undefined, hostName: brokerId, clock: broker.clock },
        { store, brokerId, isShared: true, clock: broker.clock, tempDirectory },
      );
    const one = await startAs('broker-one');
    const two = await startAs('broker-two');
    const atOne = connect('ann', one);
    const atTwo = connect('ann', two);
    const info = await atOne.run('rows 42');
    expect(await atTwo.readAll(info)).toHaveLength(42);
    expect((await atTwo.info(pathOf(requestIdOf(info)))).totalRecords).toBe(42n);
    const bodies = await atOne.act('CreatePreparedStatement', packPreparation({ query: 'rows 7' }));
    const handle = unpackPrepared(bodies[0] ?? new Uint8Array(0));
    const command = packCommand('CommandPreparedStatementQuery', { handle });
    const prepared = await atTwo.info({ type: 2, command, path: [] });
    expect(prepared.totalRecords).toBe(7n);
    const { descriptor } = await atOne.poll(statementOf('rows 3000 then hang'));
    const elsewhere = await failureOf(atTwo.poll(descriptor ?? statementOf('')));
    expect([elsewhere.answer.status, elsewhere.reason]).toEqual([9, 'QUERY_ELSEWHERE']);
    expect(elsewhere.answer.headers['quire-broker-host']).toBe('broker-one');
    await one.call(`/query/${descriptor?.path[0]}`, { method: 'DELETE' });
    await Promise.all([atOne, atTwo].map((client) => client[Symbol.asyncDispose]()));
    await Promise.all([one, two].map((each) => each[Symbol.asyncDispose]()));
  });
});

describe('a shutdown', () => {
  test('a shutdown lets calls under way finish, and refuses further ones', async () => {
    const stopping = await TestBroker.start({ flight });
    const client = connect('ann', stopping);
    const under = client.run('rows 10 then wait then rows 5');
    while (stopping.engine.waitingCount === 0) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    const closed = stopping.broker.close();
    const refused = await failureOf(client.run('rows 1'));
    expect([refused.answer.status, refused.reason]).toEqual([14, 'SHUTTING_DOWN']);
    stopping.engine.resume();
    expect((await under).totalRecords).toBe(15n);
    await closed;
  });
});

function packPreparation(statement: { readonly query: string }): Uint8Array {
  return packActionBody('ActionCreatePreparedStatementRequest', statement);
}

function unpackPrepared(body: Uint8Array): Uint8Array {
  return unpackActionBody('ActionCreatePreparedStatementResult', body).handle;
}

function sha256(text: string): Uint8Array {
  return new Uint8Array(createHash('sha256').update(text).digest());
}
