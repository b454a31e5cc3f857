import {
  bool,
  bytes,
  embedded,
  int32,
  int64,
  message,
  type MessageOf,
  messages,
  optionalBool,
  optionalDouble,
  optionalSfixed64,
  optionalText,
  text,
  textMap,
  texts,
  uint64,
} from './protobuf.ts';

/*
 * The messages of Flight.proto of Apache Arrow 21.0.0, with the same names and numbers. Source:
 * https://github.com/apache/arrow/blob/apache-arrow-21.0.0/format/Flight.proto
 */

/** A point in time, as google.protobuf.Timestamp. */
const timestampCodec = message({ seconds: int64(1), nanos: int32(2) });
/** A point in time. */
export type Timestamp = MessageOf<typeof timestampCodec>;

export const handshakeCodec = message({ protocolVersion: uint64(1), payload: bytes(2) });
/** A message of a handshake, in either direction. */
export type HandshakeMessage = MessageOf<typeof handshakeCodec>;

/** A name and a password, as the payload of a handshake. */
export const basicAuthCodec = message({ username: text(2), password: text(3) });

/** The types of a `FlightDescriptor`. */
export const descriptorTypes = { unknown: 0, path: 1, command: 2 } as const;
export const flightDescriptorCodec = message({ type: int32(1), command: bytes(2), path: texts(3) });
/** The data that a client requests, by a command or a path. */
export type FlightDescriptor = MessageOf<typeof flightDescriptorCodec>;

export const ticketCodec = message({ ticket: bytes(1) });
/** The opaque token that a client reads data with. */
export type Ticket = MessageOf<typeof ticketCodec>;

const locationCodec = message({ uri: text(1) });

/** Encodes and decodes a `FlightEndpoint`. */
export const flightEndpointCodec = message({
  ticket: embedded(1, ticketCodec),
  locations: messages(2, locationCodec),
  expirationTime: embedded(3, timestampCodec),
  appMetadata: bytes(4),
});
/** A part of the data: its ticket, its locations and its expiration. */
export type FlightEndpoint = MessageOf<typeof flightEndpointCodec>;

export const flightInfoCodec = message({
  /** The schema as an encapsulated IPC message. */
  schema: bytes(1),
  descriptor: embedded(2, flightDescriptorCodec),
  endpoints: messages(3, flightEndpointCodec),
  /** -1 when unknown, as `totalBytes`. */
  totalRecords: int64(4),
  totalBytes: int64(5),
  isOrdered: bool(6),
  appMetadata: bytes(7),
});
/** The description of data that a client receives before it reads it. */
export type FlightInfo = MessageOf<typeof flightInfoCodec>;

export const pollInfoCodec = message({
  info: embedded(1, flightInfoCodec),
  /** The descriptor of the next poll; absent when the query has ended. */
  descriptor: embedded(2, flightDescriptorCodec),
  progress: optionalDouble(3),
  expirationTime: embedded(4, timestampCodec),
});
/** The progress of a query. */
export type PollInfo = MessageOf<typeof pollInfoCodec>;

export const schemaResultCodec = message({ schema: bytes(1) });
export const criteriaCodec = message({ expression: bytes(1) });
export const actionCodec = message({ type: text(1), body: bytes(2) });
/** An action by its name, with its body. */
export type Action = MessageOf<typeof actionCodec>;
export const actionTypeCodec = message({ type: text(1), description: text(2) });
/** An action that a server has. */
export type ActionType = MessageOf<typeof actionTypeCodec>;
export const actionResultCodec = message({ body: bytes(1) });
export const putResultCodec = message({ appMetadata: bytes(1) });

export const flightDataCodec = message({
  descriptor: embedded(1, flightDescriptorCodec),
  /** The metadata of an IPC message, without its prefix. */
  dataHeader: bytes(2),
  appMetadata: bytes(3),
  dataBody: bytes(1000),
});
/** A message of data: the parts of an IPC message. */
export type FlightData = MessageOf<typeof flightDataCodec>;

/** The outcomes of a cancellation. */
export const cancelStatuses = {
  unspecified: 0,
  cancelled: 1,
  cancelling: 2,
  notCancellable: 3,
} as const;
/** The body of CancelFlightInfo. */
export const cancelFlightInfoRequestCodec = message({ info: embedded(1, flightInfoCodec) });
/** The result of CancelFlightInfo; `status` is one of `cancelStatuses`. */
export const cancelFlightInfoResultCodec = message({ status: int32(1) });
/** The body of RenewFlightEndpoint. */
export const renewFlightEndpointRequestCodec = message({
  endpoint: embedded(1, flightEndpointCodec),
});

const stringListCodec = message({ values: texts(1) });
/** The value of a session option; one member is set, or none to unset the option. */
export const sessionOptionValueCodec = message({
  text: optionalText(1),
  bool: optionalBool(2),
  int64: optionalSfixed64(3),
  double: optionalDouble(4),
  texts: embedded(5, stringListCodec),
});
/** The value of a session option. */
export type SessionOptionValue = MessageOf<typeof sessionOptionValueCodec>;

/** The reasons why an option was not set. */
export const sessionOptionErrors = {
  unspecified: 0,
  invalidName: 1,
  invalidValue: 2,
  failed: 3,
} as const;
const sessionOptionErrorCodec = message({ value: int32(1) });
export const sessionOptionsCodec = message({ options: textMap(1, sessionOptionValueCodec) });
export const setSessionOptionsResultCodec = message({
  errors: textMap(1, sessionOptionErrorCodec),
});
export const closeSessionStatuses = {
  unspecified: 0,
  closed: 1,
  closing: 2,
  notCloseable: 3,
} as const;
export const closeSessionResultCodec = message({ status: int32(1) });
