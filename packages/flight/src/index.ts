export {
  type FlightServerOptions,
  createFlightServer,
  type IncomingCall,
} from './flight-server.ts';
export type { FlightCall, FlightProducer, OutgoingData } from './flight-producer.ts';
export type { GrpcCall } from './grpc/grpc-call.ts';
export type { GrpcServer, GrpcServerOptions } from './grpc/grpc-server.ts';
export { type GrpcOutcome, grpcStatuses, outcomeOf } from './grpc/grpc-status.ts';
export {
  createFlightSqlProducer,
  handleOfTicket,
  statementTicket,
} from './sql/create-flight-sql-producer.ts';
export type {
  FlightSqlProducer,
  PreparedStatement,
  SqlStatement,
  TableEntry,
  TypeEntry,
} from './sql/flight-sql-producer.ts';
export { dataOfBatch, dataOfMessage, messageOfData, schemaMessageOf } from './sql/ipc-messages.ts';
export {
  readOnlySqlInfo,
  type SqlInfoEntry,
  type SqlInfoValue,
  type SqlServerDescription,
} from './sql/sql-info.ts';
export {
  type Action,
  type ActionType,
  basicAuthCodec,
  cancelFlightInfoRequestCodec,
  cancelFlightInfoResultCodec,
  cancelStatuses,
  type FlightData,
  type FlightDescriptor,
  type FlightEndpoint,
  flightEndpointCodec,
  type FlightInfo,
  type HandshakeMessage,
  type PollInfo,
  renewFlightEndpointRequestCodec,
  sessionOptionErrors,
  type SessionOptionValue,
  type Ticket,
  type Timestamp,
} from './wire/flight-messages.ts';
export type { MessageCodec, MessageOf } from './wire/protobuf.ts';
export { parameterSchemaOf } from './sql/parameter-schema.ts';
export { readParameters } from './sql/read-parameters.ts';
