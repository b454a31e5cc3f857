import { once } from 'node:events';
import { type ClientHttp2Stream, constants } from 'node:http2';
import { tableFromIPC, type Table } from 'apache-arrow';
import { messageOfData, statementTicket } from '@quire/flight';
import {
  actionCodec,
  actionResultCodec,
  flightDataCodec,
  type FlightDescriptor,
  flightDescriptorCodec,
  type FlightInfo,
  flightInfoCodec,
  type PollInfo,
  pollInfoCodec,
  schemaResultCodec,
  ticketCodec,
} from '../../../packages/flight/src/wire/flight-messages.ts';
import {
  type CommandName,
  type CommandOf,
  packActionBody,
  packCommand,
  unpackActionBody,
} from '../../../packages/flight/src/wire/sql-messages.ts';
import {
  answerOf,
  framed,
  type GrpcAnswer,
  GrpcTestClient,
  wholeMessagesOf,
} from './grpc-test-client.ts';

/** A failed call, as its client sees it. */
export class FlightFailure extends Error {
  readonly answer: GrpcAnswer;

  constructor(answer: GrpcAnswer) {
    super(`${answer.status}: ${answer.message}`);
    this.answer = answer;
  }

  /** The error code of Quire. */
  get reason(): unknown {
    return this.answer.trailers['quire-reason'] ?? this.answer.headers['quire-reason'];
  }
}

/** A client of Flight SQL that shows the messages on the wire. */
export class FlightTestClient implements AsyncDisposable {
  readonly grpc: GrpcTestClient;
  #headers: Readonly<Record<string, string>>;

  constructor(url: string, headers: Readonly<Record<string, string>> = {}) {
    this.grpc = new GrpcTestClient({ port: Number(new URL(url).port) });
    this.#headers = headers;
  }

  /** Makes later calls with these headers. */
  as(headers: Readonly<Record<string, string>>): this {
    this.#headers = headers;
    return this;
  }

  /** Makes a call. @throws FlightFailure when its status is not OK */
  async call(method: string, message: Uint8Array): Promise<GrpcAnswer> {
    const path = `/arrow.flight.protocol.FlightService/${method}`;
    const answer = await this.grpc.call(path, message, this.#headers);
    if (answer.status !== 0) throw new FlightFailure(answer);
    return answer;
  }

  async info(descriptor: FlightDescriptor): Promise<FlightInfo> {
    const { messages } = await this.call('GetFlightInfo', flightDescriptorCodec.encode(descriptor));
    return flightInfoCodec.decode(messages[0] ?? new Uint8Array(0));
  }

  async poll(descriptor: FlightDescriptor): Promise<PollInfo> {
    const { messages } = await this.call(
      'PollFlightInfo',
      flightDescriptorCodec.encode(descriptor),
    );
    return pollInfoCodec.decode(messages[0] ?? new Uint8Array(0));
  }

  run(query: string): Promise<FlightInfo> {
    return this.info(statementOf(query));
  }

  /** The answer of GetSchema, as an IPC message. */
  async schema(descriptor: FlightDescriptor): Promise<Uint8Array> {
    const { messages } = await this.call('GetSchema', flightDescriptorCodec.encode(descriptor));
    return schemaResultCodec.decode(messages[0] ?? new Uint8Array(0)).schema;
  }

  /** Prepares a statement. */
  async prepare(query: string): Promise<{
    readonly run: FlightDescriptor;
    readonly datasetSchema: Uint8Array;
    readonly parameterSchema: Uint8Array;
  }> {
    const body = packActionBody('ActionCreatePreparedStatementRequest', { query });
    const [answer] = await this.act('CreatePreparedStatement', body);
    const { handle, ...schemas } = unpackActionBody(
      'ActionCreatePreparedStatementResult',
      answer ?? new Uint8Array(0),
    );
    const command = packCommand('CommandPreparedStatementQuery', { handle });
    return { run: { type: 2, command, path: [] }, ...schemas };
  }

  /** Reads a table of metadata. */
  async metadata<Name extends CommandName>(
    name: Name,
    filter: Partial<CommandOf<Name>> = {},
  ): Promise<Table> {
    const info = await this.info({ type: 2, command: packCommand(name, filter), path: [] });
    return (await this.read(firstTicket(info))).table;
  }

  /** Returns the rows of a ticket, and the number of messages with rows. */
  async read(ticket: Uint8Array): Promise<{ readonly table: Table; readonly batchCount: number }> {
    const { messages } = await this.call('DoGet', ticketCodec.encode({ ticket }));
    const data = messages.map((message) => flightDataCodec.decode(message));
    return { table: tableFromIPC(data.map(messageOfData)), batchCount: data.length - 1 };
  }

  /** Requests the rows of a ticket, and reads none. */
  async openRows(ticket: Uint8Array): Promise<OpenRows> {
    const stream = this.grpc.open('/arrow.flight.protocol.FlightService/DoGet', this.#headers);
    stream.end(framed(ticketCodec.encode({ ticket })));
    return new OpenRows(stream);
  }

  /** All rows of a FlightInfo, endpoint by endpoint. */
  async readAll({ endpoints }: FlightInfo): Promise<readonly unknown[][]> {
    const rows: unknown[][] = [];
    for (const { ticket } of endpoints) {
      const { table } = await this.read(ticket?.ticket ?? new Uint8Array(0));
      for (const row of table) rows.push(Object.values(row?.toJSON() ?? {}));
    }
    return rows;
  }

  async act(type: string, body: Uint8Array): Promise<readonly Uint8Array[]> {
    const { messages } = await this.call('DoAction', actionCodec.encode({ type, body }));
    return messages.map((message) => actionResultCodec.decode(message).body);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.grpc[Symbol.asyncDispose]();
  }
}

/** Rows that are read as they arrive. */
export class OpenRows {
  readonly #stream: ClientHttp2Stream;
  readonly #answer: Promise<GrpcAnswer>;
  readonly #chunks: Buffer[] = [];

  constructor(stream: ClientHttp2Stream) {
    this.#stream = stream;
    this.#answer = answerOf(stream);
    this.#answer.catch(() => undefined);
    stream.on('data', (chunk: Buffer) => this.#chunks.push(chunk));
  }

  /** Resolves once the given number of messages have arrived, with those as IPC messages. */
  async readMessages(count: number): Promise<Uint8Array[]> {
    for (;;) {
      const messages = wholeMessagesOf(Buffer.concat(this.#chunks));
      if (messages.length >= count) return messages.slice(0, count).map(ipcMessageOf);
      const arrived = once(this.#stream, 'data').then(() => undefined);
      const ended = await Promise.race([arrived, this.#answer]);
      if (ended !== undefined) throw new FlightFailure(ended);
    }
  }

  /** All rows. @throws FlightFailure when the status is not OK */
  async readToEnd(): Promise<{ readonly table: Table; readonly batchCount: number }> {
    const answer = await this.#answer;
    if (answer.status !== 0) throw new FlightFailure(answer);
    const { messages } = answer;
    return { table: tableFromIPC(messages.map(ipcMessageOf)), batchCount: messages.length - 1 };
  }

  /** Resets the stream, as a client that cancels. */
  close(): void {
    this.#stream.close(constants.NGHTTP2_CANCEL);
  }
}

function ipcMessageOf(message: Uint8Array): Uint8Array {
  return messageOfData(flightDataCodec.decode(message));
}

export function statementOf(query: string): FlightDescriptor {
  return { type: 2, command: packCommand('CommandStatementQuery', { query }), path: [] };
}

export function pathOf(...path: readonly string[]): FlightDescriptor {
  return { type: 1, command: new Uint8Array(0), path };
}

/** A ticket with this content, as a broker would issue it. */
export function ticketOf(content: unknown): Uint8Array {
  return statementTicket(new TextEncoder().encode(JSON.stringify(content)));
}

/** Returns the failure of a call. @throws when it does not fail */
export async function failureOf(work: Promise<unknown>): Promise<FlightFailure> {
  const error: unknown = await work.then(
    () => new Error('the call succeeded'),
    (thrown: unknown) => thrown,
  );
  if (error instanceof FlightFailure) return error;
  throw error;
}

/** The id of the result in a FlightInfo. */
export const requestIdOf = ({ appMetadata }: FlightInfo): string =>
  (JSON.parse(new TextDecoder().decode(appMetadata)) as { requestId: string }).requestId;

/** The first ticket of a FlightInfo. */
export const firstTicket = ({ endpoints }: FlightInfo): Uint8Array =>
  endpoints[0]?.ticket?.ticket ?? new Uint8Array(0);
