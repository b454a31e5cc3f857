import { tableFromArrays } from 'apache-arrow';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { dataOfBatch, statementTicket } from '@quire/flight';
import {
  actionCodec,
  cancelFlightInfoRequestCodec,
  flightDataCodec,
  flightDescriptorCodec,
  renewFlightEndpointRequestCodec,
  ticketCodec,
} from '../../flight/src/wire/flight-messages.ts';
import { packActionBody, packCommand } from '../../flight/src/wire/sql-messages.ts';
import { type LogLine, recordingLogger } from '../../../test/src/testkit/broker-log.ts';
import { TestBroker } from '../../../test/src/testkit/broker-server.ts';
import { answerOf, framed, type GrpcAnswer } from '../../../test/src/testkit/grpc-test-client.ts';
import {
  failureOf,
  firstTicket,
  FlightTestClient,
  pathOf,
  statementOf,
  ticketOf,
} from '../../../test/src/testkit/flight-test-client.ts';

const messageBytesMax = 4 * 1024 * 1024;
const flight = { port: 0, expirationMs: 600_000, messageBytesMax };
const lines: LogLine[] = [];
const open: FlightTestClient[] = [];
let broker: TestBroker;
let ann: FlightTestClient;

beforeAll(async () => {
  broker = await TestBroker.start({
    flight,
    logger: recordingLogger(lines),
    requestTimeoutMs: 1000,
    stallTimeoutMs: 5000,
  });
  ann = connect('ann');
});

afterEach(() => broker.engine.untilIdle());

afterAll(async () => {
  await Promise.all(open.map((client) => client[Symbol.asyncDispose]()));
  await broker[Symbol.asyncDispose]();
});

function connect(as: 'ann' | 'bob'): FlightTestClient {
  const url = broker.address.endpointUrls?.[0] ?? '';
  const client = new FlightTestClient(url, { authorization: `Bearer ${as}-token` });
  open.push(client);
  return client;
}

/** Expects another client to receive its rows. */
async function expectServed(): Promise<void> {
  const bob = connect('bob');
  expect(await bob.readAll(await bob.run('rows 3'))).toHaveLength(3);
}

/** Makes a call whose request consists of these messages. */
function call(method: string, ...messages: readonly Uint8Array[]): Promise<GrpcAnswer> {
  const path = `/arrow.flight.protocol.FlightService/${method}`;
  const stream = ann.grpc.open(path, { authorization: 'Bearer ann-token' });
  for (const message of messages) stream.write(framed(message));
  stream.end();
  return answerOf(stream);
}

const [unknown, internal] = [2, 13];

describe('bytes that no client would send', () => {
  /** Valid messages, by the methods that accept them. */
  const right = async (): Promise<readonly (readonly [string, Uint8Array])[]> => {
    const info = await ann.run('rows 5');
    const [endpoint] = info.endpoints;
    const { run } = await ann.prepare('rows 5');
    const body = packActionBody('ActionCreatePreparedStatementRequest', { query: 'rows 1' });
    const action = (type: string, bytes: Uint8Array) =>
      ['DoAction', actionCodec.encode({ type, body: bytes })] as const;
    return [
      ['GetFlightInfo', flightDescriptorCodec.encode(statementOf('rows 1'))],
      ['GetFlightInfo', flightDescriptorCodec.encode(run)],
      ['PollFlightInfo', flightDescriptorCodec.encode(pathOf('x', '1,2'))],
      ['GetSchema', flightDescriptorCodec.encode(run)],
      ['DoGet', ticketCodec.encode({ ticket: firstTicket(info) })],
      ['DoGet', ticketCodec.encode({ ticket: packCommand('CommandGetTables', {}) })],
      ['DoGet', ticketCodec.encode({ ticket: packCommand('CommandGetSqlInfo', { info: [1] }) })],
      ['Handshake', Uint8Array.of(8, 1)],
      ['ListActions', new Uint8Array(0)],
      ['ListFlights', new Uint8Array(0)],
      action('CreatePreparedStatement', body),
      action('CancelFlightInfo', cancelFlightInfoRequestCodec.encode({ info })),
      action('RenewFlightEndpoint', renewFlightEndpointRequestCodec.encode({ endpoint })),
      action('SetSessionOptions', Uint8Array.of(10, 4, 10, 2, 65, 66)),
    ];
  };

  test('any bytes, to any method, have a status that blames the caller, and others are served', async () => {
    const methods = [...new Set((await right()).map(([method]) => method)), 'DoPut'];
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...methods),
        fc.array(fc.uint8Array({ maxLength: 60 }), { maxLength: 3 }),
        async (method, messages) => {
          const { status } = await call(method, ...messages);
          expect([unknown, internal]).not.toContain(status);
        },
      ),
      { numRuns: 400 },
    );
    await expectServed();
  });

  test('right messages with some wrong bytes have a status that blames the caller, and others are served', async () => {
    const messages = await right();
    const change = fc.record({ at: fc.nat(1000), byte: fc.nat(255), isCut: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...messages),
        fc.array(change, { minLength: 1, maxLength: 4 }),
        async ([method, message], changes) => {
          let bytes = Uint8Array.from(message);
          for (const { at, byte, isCut } of changes) {
            if (bytes.length === 0) break;
            bytes[at % bytes.length] = byte;
            if (isCut) bytes = bytes.subarray(0, at % bytes.length);
          }
          const { status } = await call(method, bytes);
          expect([unknown, internal]).not.toContain(status);
        },
      ),
      { numRuns: 600 },
    );
    expect(lines.filter(({ msg }) => msg === 'call failed')).toEqual([]);
    await expectServed();
  });

  test('parameters with some wrong bytes have a status that blames the caller', async () => {
    const { run } = await ann.prepare('rows 5');
    const [batch] = tableFromArrays({
      a: Int32Array.of(1),
      b: Float64Array.of(2.5),
      c: ['text'],
      d: [new Date(0)],
      e: [[1, 2]],
    }).batches;
    if (batch === undefined) throw new Error('There is no batch.');
    const parts = dataOfBatch(batch).map((data, index) =>
      flightDataCodec.encode({ ...data, ...(index === 0 && { descriptor: run }) }),
    );
    const change = fc.record({ part: fc.nat(1), at: fc.nat(5000), byte: fc.nat(255) });
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 6 }), async (changes) => {
        const copies = parts.map((part) => Uint8Array.from(part));
        for (const { part, at, byte } of changes) {
          const copy = copies[part];
          if (copy !== undefined) copy[at % copy.length] = byte;
        }
        const { status } = await call('DoPut', ...copies);
        expect([unknown, internal]).not.toContain(status);
      }),
      { numRuns: 1500 },
    );
    expect(lines.filter(({ msg }) => msg === 'call failed')).toEqual([]);
    await expectServed();
  });
});

describe('tickets and handles that no broker has issued', () => {
  const requestId = '01a205fe-d4e2-7496-af67-8a5ec1c39c6b';
  const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
  const handleOf = (content: string): Uint8Array =>
    packCommand('CommandPreparedStatementQuery', { handle: new TextEncoder().encode(content) });

  test.each([
    ['of another server', Uint8Array.of(1, 2, 3)],
    ['of a command that has no rows', packCommand('CommandStatementQuery', { query: 'rows 1' })],
    ['with an offset beyond any result', ticketOf({ version: 1, requestId, offset: 1e300 })],
    ['with a text for an offset', ticketOf({ version: 1, requestId, offset: '0' })],
    ['with a path for an id', ticketOf({ version: 1, requestId: '../../etc/passwd', offset: 0 })],
    ['nested 200,000 deep', statementTicket(new TextEncoder().encode(deep))],
  ])('a ticket %s is refused by its message', async (_what, ticket) => {
    const { answer } = await failureOf(ann.read(ticket));
    expect([3, 12]).toContain(answer.status);
    await expectServed();
  });

  test.each([
    ['of another server', 'not JSON'],
    ['nested 200,000 deep', deep],
    ['with parameters nested deep', `{"version":1,"sql":"rows 1","parameters":${deep}}`],
    ['with a parameter of no type', '{"version":1,"sql":"rows 1","parameters":[{"type":"X"}]}'],
    ['without SQL', '{"version":1}'],
  ])('the handle of a prepared statement %s is refused by its message', async (_what, content) => {
    const command = handleOf(content);
    const { answer } = await failureOf(ann.info({ type: 2, command, path: [] }));
    expect(answer.status).toBe(3);
    await expectServed();
  });
});

describe('messages of a megabyte and more', () => {
  const query = (sql: string) => flightDescriptorCodec.encode(statementOf(sql));
  const preparationOf = (sql: string) =>
    actionCodec.encode({
      type: 'CreatePreparedStatement',
      body: packActionBody('ActionCreatePreparedStatementRequest', { query: sql }),
    });

  test.each([
    ['SQL within the limit', 'GetFlightInfo', query('('.repeat(4_000_000)), 3],
    ['SQL beyond it', 'GetFlightInfo', query('('.repeat(messageBytesMax)), 8],
    ['SQL of quotes and comments', 'GetSchema', query(`'"/*--`.repeat(500_000)), 3],
    [
      'a path of many parts',
      'GetFlightInfo',
      flightDescriptorCodec.encode(pathOf(...Array.from({ length: 10_000 }, String))),
      3,
    ],
    [
      'a path of more parts than any has',
      'GetFlightInfo',
      flightDescriptorCodec.encode(pathOf(...Array.from({ length: 20_000 }, () => ''))),
      3,
    ],
    ['a parameter of a high number', 'DoAction', preparationOf('SELECT $99999999'), 3],
    ['bytes of one kind', 'DoAction', new Uint8Array(4_000_000).fill(0x0a), 3],
  ])(
    'a message with %s has a status, and others are served',
    async (_what, method, message, status) => {
      expect((await call(method, message)).status).toBe(status);
      await expectServed();
    },
  );
});

describe('a client that asks too much, or takes nothing', () => {
  test('a client with 2,000 statements at once gets a status for each, and others get rows meanwhile', async () => {
    const greedy = connect('ann');
    const bob = connect('bob');
    const statuses = Array.from({ length: 2000 }, async () => {
      const answer = await greedy.grpc.call(
        '/arrow.flight.protocol.FlightService/GetFlightInfo',
        flightDescriptorCodec.encode(statementOf('rows 1')),
        { authorization: 'Bearer ann-token' },
      );
      return answer.status;
    });
    let servedCount = 0;
    const all = Promise.all(statuses);
    let isDone = false;
    void all.then(() => (isDone = true));
    while (!isDone) {
      const rows = await bob.run('rows 2').then(
        (info) => bob.readAll(info),
        () => undefined,
      );
      if (rows !== undefined) servedCount += 1;
    }
    // Served, or refused because the queue has its maximum length.
    const seen = await all;
    expect(seen.filter((status) => status !== 0 && status !== 8)).toEqual([]);
    expect(seen).toContain(0);
    expect(servedCount).toBeGreaterThan(0);
    await expectServed();
  });

  test('a client whose calls stop within their messages holds no slot, and is given up in time', async () => {
    const half = connect('ann');
    const streams = Array.from({ length: 100 }, () => {
      const stream = half.grpc.open('/arrow.flight.protocol.FlightService/GetFlightInfo', {
        authorization: 'Bearer ann-token',
      });
      stream.write(Buffer.of(0, 0, 0, 1, 0, 10));
      return answerOf(stream);
    });
    await broker.clock.untilSleeping(100);
    await expectServed();
    await broker.clock.advance(1000);
    const statuses = (await Promise.all(streams)).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([4]));
  });

  test('a client that lets no rows in holds no slot, and loses its streams in time', async () => {
    const ticket = firstTicket(await ann.run('rows 20000'));
    const closed = connect('bob');
    const shut = connect('ann');
    shut.grpc.session.settings({ initialWindowSize: 0 });
    await new Promise((resolve) => shut.grpc.session.once('localSettings', resolve));
    const streams = Array.from({ length: 20 }, () => {
      const stream = shut.grpc.open('/arrow.flight.protocol.FlightService/DoGet', {
        authorization: 'Bearer ann-token',
      });
      const responded = new Promise((resolve) => stream.once('response', resolve));
      stream.end(framed(ticketCodec.encode({ ticket })));
      const answer = answerOf(stream).then(
        ({ status }) => `status ${status}`,
        (error: unknown) => String(error),
      );
      return { responded, answer };
    });
    await Promise.all(streams.map(({ responded }) => responded));
    expect(await closed.readAll(await closed.run('rows 3000'))).toHaveLength(3000);
    for (let count = 0; count < 4; count += 1) await broker.clock.advance(5000);
    const ends = await Promise.all(streams.map(({ answer }) => answer));
    expect(ends.filter((end) => !end.endsWith('NGHTTP2_ENHANCE_YOUR_CALM'))).toEqual([]);
    await expectServed();
  });
});
