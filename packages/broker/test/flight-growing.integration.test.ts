import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tableFromIPC } from 'apache-arrow';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import {
  cancelFlightInfoRequestCodec,
  type FlightInfo,
  handshakeCodec,
} from '../../flight/src/wire/flight-messages.ts';
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
const tempDirectory = mkdtempSync(join(tmpdir(), 'quire-flight-growing-'));
let broker: TestBroker;
const open: FlightTestClient[] = [];

beforeAll(async () => {
  broker = await TestBroker.start({ flight }, { tempDirectory });
});

afterEach(async () => {
  await Promise.all(open.splice(0).map((client) => client[Symbol.asyncDispose]()));
  await broker.engine.untilIdle();
});

afterAll(async () => {
  await broker[Symbol.asyncDispose]();
  await rm(tempDirectory, { recursive: true });
});

function connect(as: 'ann' | 'bob' | 'root'): FlightTestClient {
  const headers = { authorization: `Bearer ${as}-token` };
  const client = new FlightTestClient(broker.address.endpointUrls?.[0] ?? '', headers);
  open.push(client);
  return client;
}

describe('a statement that still runs', () => {
  const growing = 'rows 3000 then wait then rows 2000';

  test('a statement that still runs is answered with its first batch, and its rows are sent as they are computed', async () => {
    const client = connect('ann');
    const info = await client.run(growing);
    expect(info).toMatchObject({ totalRecords: -1n, totalBytes: -1n, isOrdered: true });
    expect(info.endpoints).toMatchObject([{ locations: [], expirationTime: undefined }]);
    const rows = await client.openRows(firstTicket(info));
    const early = await rows.readMessages(2);
    expect(tableFromIPC(early).numRows).toBeGreaterThan(0);
    expect(tableFromIPC([info.schema]).schema).toEqual(tableFromIPC(early).schema);
    broker.engine.resume();
    const { table } = await rows.readToEnd();
    const numbers = table.getChild('n')?.toJSON() ?? [];
    expect(numbers).toEqual(Array.from({ length: 5000 }, (_, n) => n));
    const known = await client.info(pathOf(requestIdOf(info)));
    expect(known.totalRecords).toBe(5000n);
    expect((await client.readAll(info)).map(([n]) => n)).toEqual(numbers);
  });

  test('a statement that still runs is found by its path, and read by a second client from any offset', async () => {
    const client = connect('ann');
    const requestId = requestIdOf(await client.run(growing));
    const info = await connect('root').info(pathOf(requestId));
    expect([info.totalRecords, requestIdOf(info)]).toEqual([-1n, requestId]);
    const ticket = ticketOf({ version: 1, requestId, offset: 2990, rowCount: 20 });
    const reading = client.read(ticket);
    broker.engine.resume();
    const { table } = await reading;
    expect(table.getChild('n')?.toJSON()).toEqual(Array.from({ length: 20 }, (_, n) => 2990 + n));
    const foreign = await failureOf(connect('bob').info(pathOf(requestId)));
    expect(foreign.answer.status).toBe(5);
  });

  test('a statement that still runs that fails after its first rows ends the stream with its status', async () => {
    const client = connect('ann');
    const info = await client.run('rows 3000 then wait then fail QUERY_FAILED');
    const rows = await client.openRows(firstTicket(info));
    expect(tableFromIPC(await rows.readMessages(2)).numRows).toBeGreaterThan(0);
    broker.engine.resume();
    const failure = await failureOf(rows.readToEnd());
    expect([failure.answer.status, failure.reason]).toEqual([3, 'QUERY_FAILED']);
    expect((await failureOf(client.read(firstTicket(info)))).reason).toBe('QUERY_FAILED');
    expect(await broker.call('/queries')).toMatchObject({ status: 200 });
  });

  test('a statement that still runs is cancelled when its only reader leaves, and not while another one reads', async () => {
    const client = connect('ann');
    const info = await client.run('rows 3000 then wait then rows 2000');
    const left = await client.openRows(firstTicket(info));
    await left.readMessages(2);
    const stays = await connect('ann').openRows(firstTicket(info));
    await stays.readMessages(2);
    left.close();
    broker.engine.resume();
    expect((await stays.readToEnd()).table.numRows).toBe(5000);

    const hanging = await client.run('rows 3000 then hang');
    const only = await client.openRows(firstTicket(hanging));
    await only.readMessages(2);
    only.close();
    await broker.engine.untilIdle();
    const failure = await failureOf(client.read(firstTicket(hanging)));
    expect([failure.answer.status, failure.reason]).toEqual([1, 'QUERY_CANCELLED']);
  });

  test('a statement that still runs goes on without readers', async () => {
    const client = connect('ann');
    const info = await client.run(growing);
    await client.call('Handshake', handshakeCodec.encode({}));
    await client[Symbol.asyncDispose]();
    broker.engine.resume();
    await broker.engine.untilIdle();
    expect((await connect('ann').read(firstTicket(info))).table.numRows).toBe(5000);
  });

  test('a statement that still runs goes on when a reader leaves, where HTTP has started it', async () => {
    const http = await broker.query(growing, '?doPaginate=true&async=true&wait=0ms');
    const { requestId } = http.json<{ requestId: string }>();
    const client = connect('ann');
    const ticket = ticketOf({ version: 1, requestId, offset: 0 });
    const rows = await client.openRows(ticket);
    await rows.readMessages(2);
    rows.close();
    await client.call('Handshake', handshakeCodec.encode({}));
    broker.engine.resume();
    await broker.engine.untilIdle();
    expect((await client.read(ticket)).table.numRows).toBe(5000);
  });

  test('a statement that still runs is cancelled by CancelFlightInfo, and its reader is told', async () => {
    const client = connect('ann');
    const info = await client.run('rows 3000 then hang');
    const rows = await client.openRows(firstTicket(info));
    await rows.readMessages(2);
    const ended = failureOf(rows.readToEnd());
    await client.act('CancelFlightInfo', cancelFlightInfoRequestCodec.encode({ info }));
    expect((await ended).reason).toBe('QUERY_CANCELLED');
  });
});

describe('a query that is polled', () => {
  test('a query that is polled gives further endpoints as it grows, which together are its rows', async () => {
    const client = connect('ann');
    const first = await client.poll(statementOf('rows 3000 then wait then rows 2000'));
    expect(first.descriptor?.path).toHaveLength(2);
    const known = first.info?.endpoints ?? [];
    expect(known).toHaveLength(1);
    const early = await client.read(known[0]?.ticket?.ticket ?? new Uint8Array(0));
    expect(early.table.numRows).toBeGreaterThan(0);
    broker.engine.resume();
    let poll = first;
    while (poll.descriptor !== undefined) poll = await client.poll(poll.descriptor);
    const { info } = poll;
    expect([poll.progress, info?.totalRecords]).toEqual([1, 5000n]);
    expect(info?.endpoints[0]?.ticket).toEqual(known[0]?.ticket);
    const rows = await client.readAll(info as FlightInfo);
    expect(rows.map(([n]) => n)).toEqual(Array.from({ length: 5000 }, (_, n) => n));
  });

  test('a query that is polled can be cancelled, and the next poll says so', async () => {
    const client = connect('ann');
    const first = await client.poll(statementOf('rows 3000 then hang'));
    const body = cancelFlightInfoRequestCodec.encode({ info: first.info });
    await client.act('CancelFlightInfo', body);
    const failure = await failureOf(client.poll(first.descriptor ?? statementOf('')));
    expect([failure.answer.status, failure.reason]).toEqual([1, 'QUERY_CANCELLED']);
  });
});
