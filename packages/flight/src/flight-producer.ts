import type { IncomingHttpHeaders } from 'node:http2';
import type {
  Action,
  ActionType,
  FlightData,
  FlightDescriptor,
  FlightInfo,
  HandshakeMessage,
  PollInfo,
  Ticket,
} from './wire/flight-messages.ts';

/** One call as a producer sees it. `Context` is the server's knowledge about the caller. */
export interface FlightCall<Context> {
  readonly context: Context;
  readonly headers: IncomingHttpHeaders;
  /** Aborted when the client has disconnected or its deadline has passed. */
  readonly signal: AbortSignal;
  /** The timeout that the client has set; Infinity without one. */
  readonly timeoutMs: number;
  /** Sets a header of the response, before its first message. */
  setHeader(name: string, value: string): void;
}

/** A message of data to send; the body is sent as it is, without a copy. */
export type OutgoingData = Partial<Pick<FlightData, 'dataHeader' | 'dataBody' | 'appMetadata'>>;

/**
 * The port to a source of data for Arrow Flight: the calls of the protocol, with their messages
 * decoded. An omitted call is UNIMPLEMENTED. Errors of `@quire/core` reach the client with their
 * status; data is requested only as fast as the client reads it.
 */
export interface FlightProducer<Context = unknown> {
  handshake?(
    requests: AsyncIterable<HandshakeMessage>,
    call: FlightCall<Context>,
  ): AsyncIterable<Partial<HandshakeMessage>>;
  listFlights?(
    expression: Uint8Array,
    call: FlightCall<Context>,
  ): AsyncIterable<Partial<FlightInfo>>;
  getFlightInfo?(
    descriptor: FlightDescriptor,
    call: FlightCall<Context>,
  ): Promise<Partial<FlightInfo>>;
  pollFlightInfo?(
    descriptor: FlightDescriptor,
    call: FlightCall<Context>,
  ): Promise<Partial<PollInfo>>;
  /** Returns the schema as an encapsulated IPC message. */
  getSchema?(descriptor: FlightDescriptor, call: FlightCall<Context>): Promise<Uint8Array>;
  /**
   * Returns messages of data, the schema first. A message may be reused once the next one is
   * requested.
   */
  doGet?(ticket: Ticket, call: FlightCall<Context>): AsyncIterable<OutgoingData>;
  /** Returns the metadata of each response message. */
  doPut?(data: AsyncIterable<FlightData>, call: FlightCall<Context>): AsyncIterable<Uint8Array>;
  /** Returns the body of each result. */
  doAction?(action: Action, call: FlightCall<Context>): AsyncIterable<Uint8Array>;
  listActions?(call: FlightCall<Context>): readonly ActionType[];
}
