import type { FlightCall, OutgoingData } from '../flight-producer.ts';
import type {
  ActionType,
  FlightData,
  FlightEndpoint,
  FlightInfo,
  HandshakeMessage,
  PollInfo,
  SessionOptionValue,
} from '../wire/flight-messages.ts';
import type { SqlInfoEntry } from './sql-info.ts';

/** A SQL statement to run. */
export interface SqlStatement {
  readonly query: string;
  /** The id of a transaction that the server has started; this package starts none. */
  readonly transactionId?: Uint8Array | undefined;
}

/** A prepared statement. */
export interface PreparedStatement {
  /** The handle by which the client refers to it. */
  readonly handle: Uint8Array;
  /** The schemas of its rows and of its parameters, as encapsulated IPC messages. */
  readonly datasetSchema?: Uint8Array | undefined;
  readonly parameterSchema?: Uint8Array | undefined;
}

/** A table as metadata shows it. */
export interface TableEntry {
  readonly catalog: string | null;
  readonly dbSchema: string | null;
  readonly name: string;
  readonly type: string;
}

/** A type of columns as `CommandGetXdbcTypeInfo` shows it. */
export interface TypeEntry {
  readonly name: string;
  /** The number of the type in ODBC. */
  readonly dataType: number;
  readonly columnSize: number | null;
  readonly literalQuote: string | null;
  readonly createParameters?: readonly string[];
  readonly isUnsigned: boolean | null;
  readonly isCaseSensitive?: boolean;
}

/**
 * The port to a source of answers for Arrow Flight SQL. `createFlightSqlProducer` turns it into a
 * `FlightProducer`, which knows the commands, the actions and the tables of metadata. Omitted calls
 * are UNIMPLEMENTED.
 */
export interface FlightSqlProducer<Context = unknown> {
  handshake?(
    requests: AsyncIterable<HandshakeMessage>,
    call: FlightCall<Context>,
  ): AsyncIterable<Partial<HandshakeMessage>>;

  /** Runs a statement; the tickets are those of `statementTicket`. */
  runStatement(statement: SqlStatement, call: FlightCall<Context>): Promise<Partial<FlightInfo>>;
  /** Starts a statement, and returns its progress. */
  pollStatement?(statement: SqlStatement, call: FlightCall<Context>): Promise<Partial<PollInfo>>;
  /** Returns the schema of a statement's rows as an encapsulated IPC message. */
  describeStatement(statement: SqlStatement, call: FlightCall<Context>): Promise<Uint8Array>;
  /** Returns the data of a ticket: the schema first, then batches. */
  readTicket(handle: Uint8Array, call: FlightCall<Context>): AsyncIterable<OutgoingData>;

  prepare?(statement: SqlStatement, call: FlightCall<Context>): Promise<PreparedStatement>;
  runPrepared?(handle: Uint8Array, call: FlightCall<Context>): Promise<Partial<FlightInfo>>;
  pollPrepared?(handle: Uint8Array, call: FlightCall<Context>): Promise<Partial<PollInfo>>;
  describePrepared?(handle: Uint8Array, call: FlightCall<Context>): Promise<Uint8Array>;
  /** Returns the handle of the statement with these values of its parameters. */
  bindParameters?(
    handle: Uint8Array,
    parameters: AsyncIterable<FlightData>,
    call: FlightCall<Context>,
  ): Promise<Uint8Array>;
  closePrepared?(handle: Uint8Array, call: FlightCall<Context>): Promise<void>;

  /** Runs a statement that changes data; returns the number of changed rows. */
  update?(statement: SqlStatement, call: FlightCall<Context>): Promise<bigint>;
  updatePrepared?(handle: Uint8Array, call: FlightCall<Context>): Promise<bigint>;

  /** Returns the data that a descriptor of type PATH names, instead of a command. */
  findPath?(path: readonly string[], call: FlightCall<Context>): Promise<Partial<FlightInfo>>;
  pollPath?(path: readonly string[], call: FlightCall<Context>): Promise<Partial<PollInfo>>;
  /** Returns one of `cancelStatuses`. */
  cancel?(info: FlightInfo, call: FlightCall<Context>): Promise<number>;
  renew?(endpoint: FlightEndpoint, call: FlightCall<Context>): Promise<Partial<FlightEndpoint>>;

  /** Returns one of `sessionOptionErrors` for each option that was not set. */
  setSessionOptions?(
    options: ReadonlyMap<string, SessionOptionValue>,
    call: FlightCall<Context>,
  ): Promise<ReadonlyMap<string, number>>;
  getSessionOptions?(
    call: FlightCall<Context>,
  ): Promise<ReadonlyMap<string, Partial<SessionOptionValue>>>;
  closeSession?(call: FlightCall<Context>): Promise<void>;

  catalogs(call: FlightCall<Context>): Promise<readonly string[]>;
  dbSchemas(
    call: FlightCall<Context>,
  ): Promise<readonly { readonly catalog: string | null; readonly dbSchema: string }[]>;
  tableTypes(call: FlightCall<Context>): Promise<readonly string[]>;
  /** Returns all tables that the caller may read; filters are applied here. */
  tables(call: FlightCall<Context>): Promise<readonly TableEntry[]>;
  /**
   * Returns the schema of a table as an encapsulated IPC message; undefined when it no longer
   * exists.
   */
  tableSchema(table: TableEntry, call: FlightCall<Context>): Promise<Uint8Array | undefined>;
  typeInfo(): readonly TypeEntry[];
  sqlInfo(): readonly SqlInfoEntry[];
  /** Actions besides those that the calls above provide. */
  readonly furtherActions?: readonly ActionType[];
}
