import { QuireError } from '@quire/core';
import {
  bool,
  bytes,
  embedded,
  int32,
  int64,
  message,
  type MessageCodec,
  type MessageOf,
  optionalBytes,
  optionalInt32,
  optionalText,
  text,
  texts,
  uint32s,
} from './protobuf.ts';

/*
 * The messages of FlightSql.proto of Apache Arrow 21.0.0, with the same names and numbers. Source:
 * https://github.com/apache/arrow/blob/apache-arrow-21.0.0/format/FlightSql.proto
 */

const statement = { query: text(1), transactionId: optionalBytes(2) };
const handle = { handle: bytes(1) };
const tableReference = { catalog: optionalText(1), dbSchema: optionalText(2), table: text(3) };
const substraitPlanCodec = message({ plan: bytes(1), version: text(2) });

/** The commands that a descriptor or a ticket may contain, by their names. */
export const commandCodecs = {
  CommandGetSqlInfo: message({ info: uint32s(1) }),
  CommandGetXdbcTypeInfo: message({ dataType: optionalInt32(1) }),
  CommandGetCatalogs: message({}),
  CommandGetDbSchemas: message({ catalog: optionalText(1), dbSchemaPattern: optionalText(2) }),
  CommandGetTables: message({
    catalog: optionalText(1),
    dbSchemaPattern: optionalText(2),
    tablePattern: optionalText(3),
    tableTypes: texts(4),
    includeSchema: bool(5),
  }),
  CommandGetTableTypes: message({}),
  CommandGetPrimaryKeys: message(tableReference),
  CommandGetExportedKeys: message(tableReference),
  CommandGetImportedKeys: message(tableReference),
  CommandGetCrossReference: message({
    pkCatalog: optionalText(1),
    pkDbSchema: optionalText(2),
    pkTable: text(3),
    fkCatalog: optionalText(4),
    fkDbSchema: optionalText(5),
    fkTable: text(6),
  }),
  CommandStatementQuery: message(statement),
  CommandStatementSubstraitPlan: message({
    plan: embedded(1, substraitPlanCodec),
    transactionId: optionalBytes(2),
  }),
  TicketStatementQuery: message(handle),
  CommandPreparedStatementQuery: message(handle),
  CommandStatementUpdate: message(statement),
  CommandPreparedStatementUpdate: message(handle),
  CommandStatementIngest: message({ table: text(2) }),
} as const;

export type CommandName = keyof typeof commandCodecs;
export type CommandOf<Name extends CommandName> = MessageOf<(typeof commandCodecs)[Name]>;
/** A command with its name. */
export type Command = {
  [Name in CommandName]: { readonly name: Name; readonly value: CommandOf<Name> };
}[CommandName];

/** The bodies of actions, and their results, by their names. */
export const actionCodecs = {
  ActionCreatePreparedStatementRequest: message(statement),
  ActionCreatePreparedStatementResult: message({
    handle: bytes(1),
    datasetSchema: bytes(2),
    parameterSchema: bytes(3),
  }),
  ActionClosePreparedStatementRequest: message(handle),
  ActionCancelQueryRequest: message({ info: bytes(1) }),
  ActionCancelQueryResult: message({ result: int32(1) }),
} as const;

/** The response to DoPut, alone in the metadata of its result. */
export const updateResultCodec = message({ recordCount: int64(1) });
export const preparedStatementResultCodec = message({ handle: optionalBytes(1) });

type ActionBodyName = keyof typeof actionCodecs;

const anyCodec = message({ typeUrl: text(1), value: bytes(2) });
const typePrefix = 'type.googleapis.com/arrow.flight.protocol.sql.';

/** Packs a command for a descriptor or a ticket. */
export function packCommand<Name extends CommandName>(
  name: Name,
  value: Partial<CommandOf<Name>>,
): Uint8Array {
  return pack(name, commandCodecs[name] as unknown as MessageCodec<CommandOf<Name>>, value);
}

/**
 * Unpacks the command of a descriptor or of a ticket.
 *
 * @throws INVALID_BODY when the bytes contain no command
 * @throws UNSUPPORTED when it is a command that Flight SQL does not have
 */
export function unpackCommand(packed: Uint8Array): Command {
  const { typeUrl, value } = anyCodec.decode(packed);
  const name = nameOf(typeUrl);
  if (!Object.hasOwn(commandCodecs, name)) throw unknownType(typeUrl);
  const codec = commandCodecs[name as CommandName];
  return { name: name as CommandName, value: codec.decode(value) } as Command;
}

/** Packs the result of an action. */
export function packActionBody<Name extends ActionBodyName>(
  name: Name,
  value: Partial<MessageOf<(typeof actionCodecs)[Name]>>,
): Uint8Array {
  return pack(name, actionCodecs[name] as unknown as MessageCodec<unknown>, value);
}

/** Unpacks the body of an action. @throws INVALID_BODY when it is another message */
export function unpackActionBody<Name extends ActionBodyName>(
  name: Name,
  packed: Uint8Array,
): MessageOf<(typeof actionCodecs)[Name]> {
  const { typeUrl, value } = anyCodec.decode(packed);
  if (nameOf(typeUrl) !== name) {
    throw new QuireError('INVALID_BODY', `The body of the action is not a ${name}.`);
  }
  return actionCodecs[name].decode(value) as MessageOf<(typeof actionCodecs)[Name]>;
}

function pack<Message>(
  name: string,
  codec: MessageCodec<Message>,
  value: Partial<Message>,
): Uint8Array {
  return anyCodec.encode({ typeUrl: `${typePrefix}${name}`, value: codec.encode(value) });
}

function nameOf(typeUrl: string): string {
  const name = typeUrl.startsWith(typePrefix) ? typeUrl.slice(typePrefix.length) : '';
  if (name === '') throw unknownType(typeUrl);
  return name;
}

function unknownType(typeUrl: string): QuireError {
  const shown = JSON.stringify(typeUrl.slice(0, 120));
  return typeUrl === ''
    ? new QuireError('INVALID_BODY', 'The message contains no command of Flight SQL.')
    : new QuireError('UNSUPPORTED', `There is no command ${shown} in Flight SQL.`);
}
