import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Authenticator, hashToken, parsePrincipals, SessionTokens } from '@quire/auth';
import { MemoryObjectStore } from '@quire/core/memory';
import { ManualClock } from '@quire/core/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  cancelFlightInfoRequestCodec,
  handshakeCodec,
  renewFlightEndpointRequestCodec,
} from '../../flight/src/wire/flight-messages.ts';
import {
  packActionBody,
  packCommand,
  unpackActionBody,
} from '../../flight/src/wire/sql-messages.ts';
import { TestBroker } from '../../../test/src/testkit/broker-server.ts';
import {
  failureOf,
  firstTicket,
  FlightTestClient,
  pathOf,
  requestIdOf,
  statementOf,
} from '../../../test/src/testkit/flight-test-client.ts';

/** The guarantees for brokers of one store behind a TCP load balancer. */

const tempDirectory = mkdtempSync(join(tmpdir(), 'quire-flight-balancer-'));
let clock: ManualClock;
let brokers: TestBroker[];
let balancer: Balancer;
const open: FlightTestClient[] = [];

/** Passes each connection on to the next target. */
class Balancer {
  readonly connectionCounts: number[];
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #next = 0;

  constructor(ports: readonly number[]) {
    this.connectionCounts = ports.map(() => 0);
    this.#server = createServer((incoming) => {
      const index = this.#next % ports.length;
      this.#next += 1;
      this.connectionCounts[index] = (this.connectionCounts[index] ?? 0) + 1;
      const outgoing = connect({ host: '127.0.0.1', port: ports[index] ?? 0 });
      for (const socket of [incoming, outgoing]) {
        this.#sockets.add(socket);
        socket.on('error', () => undefined);
        socket.once('close', () => [incoming, outgoing].map((each) => each.destroy()));
      }
      incoming.pipe(outgoing).pipe(incoming);
    });
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `grpc://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

let url: string;

beforeEach(async () => {
  clock = new ManualClock();
  const store = new MemoryObjectStore({ sizeMaxBytes: 2 ** 26, clock });
  const principals = await parsePrincipals(
    [{ name: 'ann', role: 'query', tokenSha256: hashToken('ann-token') }],
    { environment: {}, readFile: async () => '' },
  );
  brokers = await Promise.all(
    ['one', 'two'].map((brokerId) => {
      const sessions = new SessionTokens({
        key: 'sixteen letters!',
        clock,
        lifetimeMs: () => 60_000,
      });
      const authenticator = new Authenticator(principals, { sessions });
      return TestBroker.start(
        {
          flight: {
            port: 0,
            expirationMs: 600_000,
            messageBytesMax: 65_536,
            issueToken: (name) => authenticator.issueToken(name),
          },
          authenticate: (header) => authenticator.authenticate(header),
          advertised: undefined,
          hostName: brokerId,
          clock,
        },
        { store, brokerId, isShared: true, clock, tempDirectory },
      );
    }),
  );
  balancer = new Balancer(
    brokers.map(({ address }) => Number(new URL(address.endpointUrls?.[0] ?? '').port)),
  );
  url = await balancer.listen();
});

afterEach(async () => {
  await Promise.all(open.splice(0).map((client) => client[Symbol.asyncDispose]()));
  await balancer.close();
  await Promise.all(brokers.map((broker) => broker[Symbol.asyncDispose]()));
  await rm(tempDirectory, { recursive: true, force: true });
});

/** Opens a connection, which the balancer assigns to the next broker. */
async function nextClient(authorization = 'Bearer ann-token'): Promise<FlightTestClient> {
  const client = new FlightTestClient(url, { authorization });
  open.push(client);
  await client.call('Handshake', handshakeCodec.encode({}));
  return client;
}

describe('brokers of one store behind a balancer of connections', () => {
  test('brokers behind a balancer take tokens, tickets, handles and ids of each other', async () => {
    const one = await nextClient(`Basic ${Buffer.from('ann:ann-token').toString('base64')}`);
    const login = await one.call('Handshake', handshakeCodec.encode({}));
    const two = await nextClient(String(login.headers['authorization']));
    expect(balancer.connectionCounts).toEqual([1, 1]);

    const info = await one.run('rows 42');
    expect(await two.readAll(info)).toHaveLength(42);
    expect((await two.info(pathOf(requestIdOf(info)))).totalRecords).toBe(42n);

    const preparation = packActionBody('ActionCreatePreparedStatementRequest', { query: 'rows 7' });
    const [prepared = new Uint8Array(0)] = await one.act('CreatePreparedStatement', preparation);
    const { handle } = unpackActionBody('ActionCreatePreparedStatementResult', prepared);
    const command = packCommand('CommandPreparedStatementQuery', { handle });
    expect((await two.info({ type: 2, command, path: [] })).totalRecords).toBe(7n);

    const [endpoint] = info.endpoints;
    await two.act('RenewFlightEndpoint', renewFlightEndpointRequestCodec.encode({ endpoint }));
    await two.act('CancelFlightInfo', cancelFlightInfoRequestCodec.encode({ info }));
    expect((await failureOf(one.read(firstTicket(info)))).reason).toBe('RESULT_DELETED');
  });

  test('brokers behind a balancer send the rows of a query that runs at another one when it has ended', async () => {
    const one = await nextClient();
    const two = await nextClient();
    const info = await one.run('rows 3000 then wait then rows 2000');
    expect(info.totalRecords).toBe(-1n);
    const { sleeperCount } = clock;
    const reading = two.read(firstTicket(info));
    let isRead = false;
    const marked = reading.finally(() => (isRead = true));
    // The status check of the running query is answered once the other broker sleeps until its next
    // check.
    while (clock.sleeperCount <= sleeperCount) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    brokers[0]?.engine.resume();
    await brokers[0]?.engine.untilIdle();
    while (!isRead) await clock.advance(250);
    expect((await marked).table.numRows).toBe(5000);
  });

  test('brokers behind a balancer refuse to poll, cancel and renew what runs at another one, and say where that is, until it has ended', async () => {
    const one = await nextClient();
    const two = await nextClient();
    const { info: early, descriptor = pathOf('') } = await one.poll(
      statementOf('rows 3000 then wait then rows 2000'),
    );
    const requestId = descriptor.path[0] ?? '';
    // Returns the endpoint for all rows, as GetFlightInfo reports it.
    const [running] = (await one.info(pathOf(requestId))).endpoints;
    const cancellation = cancelFlightInfoRequestCodec.encode({ info: early });
    const renewal = renewFlightEndpointRequestCodec.encode({ endpoint: running });
    for (const asked of [
      two.poll(descriptor),
      two.info(pathOf(requestId)),
      two.act('CancelFlightInfo', cancellation),
      two.act('RenewFlightEndpoint', renewal),
    ]) {
      const { answer, reason } = await failureOf(asked);
      expect([answer.status, reason]).toEqual([9, 'QUERY_ELSEWHERE']);
      expect(answer.headers['quire-broker-host']).toBe('one');
    }
    const unfinished = await failureOf(one.act('RenewFlightEndpoint', renewal));
    expect([unfinished.answer.status, unfinished.reason]).toEqual([9, 'CONFLICT']);

    brokers[0]?.engine.resume();
    await brokers[0]?.engine.untilIdle();
    // The broker that ran the query reports that the record of the result exists.
    let done = await one.poll(descriptor);
    while (done.descriptor !== undefined) done = await one.poll(done.descriptor);
    const polled = await two.poll(descriptor);
    expect(polled).toMatchObject({ progress: 1, descriptor: undefined });
    const { info: whole } = polled;
    if (whole === undefined) throw new Error('The poll has no FlightInfo.');
    expect(await two.readAll(whole)).toHaveLength(5000);
    await two.act('RenewFlightEndpoint', renewal);
    await two.act('CancelFlightInfo', cancellation);
    // Brokers that have just opened it check again after a moment.
    await clock.advance(20_000);
    expect((await failureOf(one.poll(descriptor))).reason).toBe('RESULT_DELETED');
  });

  test('a broker that stops costs its connections, and no stored result', async () => {
    const one = await nextClient();
    const two = await nextClient();
    const info = await one.run('rows 42');
    await brokers[0]?.[Symbol.asyncDispose]();
    expect(await two.readAll(info)).toHaveLength(42);
    brokers = brokers.slice(1);
  });
});
