import { QuireError } from '@quire/core';
import type { FlightCall, FlightProducer, OutgoingData } from '../flight-producer.ts';
import {
  descriptorTypes,
  type FlightDescriptor,
  type FlightInfo,
  type PollInfo,
} from '../wire/flight-messages.ts';
import {
  type Command,
  type CommandName,
  packCommand,
  unpackCommand,
} from '../wire/sql-messages.ts';
import type { FlightSqlProducer } from './flight-sql-producer.ts';
import { schemaMessageOf } from './ipc-messages.ts';
import { isMetadata, type MetadataCommand, metadataSchemaOf, readMetadata } from './metadata.ts';
import { runAction, sqlActions } from './sql-actions.ts';
import { putData } from './sql-puts.ts';

/** Returns the ticket by which the rows of a statement are read. */
export function statementTicket(handle: Uint8Array): Uint8Array {
  return packCommand('TicketStatementQuery', { handle });
}

/** Returns the handle in a ticket of `statementTicket`. @throws INVALID_BODY when it is another */
export function handleOfTicket(ticket: Uint8Array): Uint8Array {
  const command = unpackCommand(ticket);
  if (command.name === 'TicketStatementQuery') return command.value.handle;
  throw new QuireError('INVALID_BODY', 'The ticket does not belong to a statement.');
}

/**
 * The row and byte counts of metadata, which are unknown because it is computed when the client
 * reads it.
 */
const unknownCount = -1n;

/**
 * Creates a Flight producer that answers the commands and actions of Flight SQL. Source:
 * https://arrow.apache.org/docs/format/FlightSql.html
 */
export function createFlightSqlProducer<Context>(
  sql: FlightSqlProducer<Context>,
): FlightProducer<Context> {
  const actions = sqlActions(sql);
  return {
    ...(sql.handshake !== undefined && { handshake: sql.handshake.bind(sql) }),
    // Statements have no names by which they could be listed.
    listFlights: () => noFlights(),
    getFlightInfo: async (descriptor, call) => ({
      descriptor,
      ...(await infoOf(sql, descriptor, call)),
    }),
    pollFlightInfo: (descriptor, call) => poll(sql, descriptor, call),
    getSchema: (descriptor, call) => schemaOf(sql, descriptor, call),
    doGet: ({ ticket }, call) => read(sql, ticket, call),
    doPut: (data, call) => putData(sql, data, call),
    doAction: (action, call) => runAction(sql, action, call),
    listActions: () => actions,
  };
}

async function* noFlights(): AsyncGenerator<FlightInfo> {
  // Statements cannot be listed.
}

async function infoOf<Context>(
  sql: FlightSqlProducer<Context>,
  descriptor: FlightDescriptor,
  call: FlightCall<Context>,
): Promise<Partial<FlightInfo>> {
  if (isPath(descriptor)) {
    return provided('paths', sql.findPath?.(descriptor.path, call));
  }
  const command = unpackCommand(descriptor.command);
  if (isMetadata(command)) return metadataInfo(descriptor, command);
  if (command.name === 'CommandStatementQuery') return sql.runStatement(command.value, call);
  if (command.name === 'CommandPreparedStatementQuery') {
    return provided('prepared statements', sql.runPrepared?.(command.value.handle, call));
  }
  throw refused(command.name, 'GetFlightInfo');
}

function metadataInfo(descriptor: FlightDescriptor, command: MetadataCommand): Partial<FlightInfo> {
  return {
    schema: schemaMessageOf(metadataSchemaOf(command)),
    endpoints: [
      {
        ticket: { ticket: descriptor.command },
        locations: [],
        expirationTime: undefined,
        appMetadata: new Uint8Array(0),
      },
    ],
    totalRecords: unknownCount,
    totalBytes: unknownCount,
  };
}

async function poll<Context>(
  sql: FlightSqlProducer<Context>,
  descriptor: FlightDescriptor,
  call: FlightCall<Context>,
): Promise<Partial<PollInfo>> {
  const started = isPath(descriptor)
    ? sql.pollPath?.(descriptor.path, call)
    : startPolling(sql, unpackCommand(descriptor.command), call);
  if (started !== undefined) return started;
  // A statement that cannot be polled is complete with the first response.
  const info = { descriptor, ...(await infoOf(sql, descriptor, call)) };
  return { info: info as FlightInfo, progress: 1 };
}

function startPolling<Context>(
  sql: FlightSqlProducer<Context>,
  command: Command,
  call: FlightCall<Context>,
): Promise<Partial<PollInfo>> | undefined {
  if (command.name === 'CommandStatementQuery') return sql.pollStatement?.(command.value, call);
  if (command.name !== 'CommandPreparedStatementQuery') return undefined;
  return sql.pollPrepared?.(command.value.handle, call);
}

async function schemaOf<Context>(
  sql: FlightSqlProducer<Context>,
  descriptor: FlightDescriptor,
  call: FlightCall<Context>,
): Promise<Uint8Array> {
  if (isPath(descriptor)) {
    const { schema } = await provided('paths', sql.findPath?.(descriptor.path, call));
    return schema ?? new Uint8Array(0);
  }
  const command = unpackCommand(descriptor.command);
  if (isMetadata(command)) return schemaMessageOf(metadataSchemaOf(command));
  if (command.name === 'CommandStatementQuery') return sql.describeStatement(command.value, call);
  if (command.name === 'CommandPreparedStatementQuery') {
    return provided('prepared statements', sql.describePrepared?.(command.value.handle, call));
  }
  throw refused(command.name, 'GetSchema');
}

async function* read<Context>(
  sql: FlightSqlProducer<Context>,
  ticket: Uint8Array,
  call: FlightCall<Context>,
): AsyncGenerator<OutgoingData> {
  const command = unpackCommand(ticket);
  if (isMetadata(command)) yield* await readMetadata(sql, command, call);
  else if (command.name === 'TicketStatementQuery') {
    yield* sql.readTicket(command.value.handle, call);
  } else throw refused(command.name, 'DoGet');
}

function isPath(descriptor: FlightDescriptor): boolean {
  return descriptor.type === descriptorTypes.path;
}

function provided<Value>(what: string, value: Value | undefined): Value {
  if (value !== undefined) return value;
  throw new QuireError('UNSUPPORTED', `This server does not support ${what}.`);
}

function refused(name: CommandName, call: string): QuireError {
  if (name === 'CommandStatementSubstraitPlan') {
    return new QuireError('UNSUPPORTED', 'This server accepts SQL, but no Substrait plans.');
  }
  return new QuireError('INVALID_PARAMETER', `${name} is not a command for ${call}.`);
}
