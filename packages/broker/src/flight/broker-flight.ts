import {
  isQuireError,
  isRequestId,
  type QueryDescription,
  QuireError,
  type RequestId,
} from '@quire/core';
import {
  cancelStatuses,
  type FlightCall,
  type FlightData,
  type FlightEndpoint,
  type FlightInfo,
  type FlightSqlProducer,
  handleOfTicket,
  type HandshakeMessage,
  type OutgoingData,
  type PollInfo,
  type PreparedStatement,
  parameterSchemaOf,
  readParameters,
  readOnlySqlInfo,
  type SessionOptionValue,
  schemaMessageOf,
  sessionOptionErrors,
  type SqlStatement,
  type TableEntry,
} from '@quire/flight';
import { encodeSchema, type Result } from '@quire/results';
import { auditCall } from '@quire/service';
import type { BrokerContext } from '../broker-context.ts';
import { columnsQueryOf, describeInTurn } from '../describe-query.ts';
import { openNamedResults } from '../named-results.ts';
import { OwnResults } from '../own-results.ts';
import { parseQueryText } from '../query-text.ts';
import { assertNotFailed } from '../send-growing-page.ts';
import type { FlightCaller } from './flight-caller.ts';
import {
  endpointOf,
  infoOfGrowth,
  infoOfResult,
  infoOfRunning,
  timestampOf,
} from './flight-infos.ts';
import type { FlightOptions } from '../flight-options.ts';
import {
  decodeRowsTicket,
  decodeStatementHandle,
  encodeStatementHandle,
  type RowsTicket,
} from './handles.ts';
import { placeholderCountOf } from './placeholders.ts';
import { readRows } from './read-rows.ts';
import { type BoundStatement, runStatement, startStatement } from './run-statement.ts';
import {
  catalogName,
  dbSchemaName,
  serverDescriptionOf,
  tableType,
  typeEntriesOf,
} from './vocabulary.ts';

type Call = FlightCall<FlightCaller>;

const rowsWaitMaxMsDefault = 10_000;
/**
 * The maximum number of endpoints that polls add, one each. The remaining rows are in one endpoint,
 * which is returned when the query has ended.
 */
const polledEndsMax = 1000;

/**
 * The broker as a database of Arrow Flight SQL. Results of statements are stored, under the same
 * ids as by HTTP; tickets and prepared statements contain all their state, so that any broker of a
 * store accepts them.
 */
export class BrokerFlight implements FlightSqlProducer<FlightCaller> {
  readonly #context: BrokerContext;
  readonly #flight: FlightOptions;

  constructor(context: BrokerContext, flight: FlightOptions) {
    this.#context = context;
    this.#flight = flight;
  }

  /** Answers a handshake. The credentials in the headers have already been checked. */
  async *handshake(
    requests: AsyncIterable<HandshakeMessage>,
    call: Call,
  ): AsyncGenerator<Partial<HandshakeMessage>> {
    const { authorization = '' } = call.headers;
    const { principal } = call.context;
    const isBearer = /^bearer /i.test(authorization);
    const token = isBearer ? undefined : this.#flight.issueToken?.(principal.name);
    call.setHeader('authorization', token === undefined ? authorization : `Bearer ${token}`);
    // Some clients never close their side of the stream.
    for await (const { protocolVersion } of requests) {
      yield { protocolVersion };
      return;
    }
    yield {};
  }

  async runStatement(statement: SqlStatement, call: Call): Promise<Partial<FlightInfo>> {
    return this.#run(boundOf(statement), call);
  }

  async pollStatement(statement: SqlStatement, call: Call): Promise<Partial<PollInfo>> {
    return this.#startPolling(boundOf(statement), call);
  }

  async describeStatement(statement: SqlStatement, call: Call): Promise<Uint8Array> {
    return encodeSchema((await this.#describe(boundOf(statement), call)).schema);
  }

  readTicket(handle: Uint8Array, call: Call): AsyncIterable<OutgoingData> {
    return readRows(this.#context, this.#flight, decodeRowsTicket(handle), call);
  }

  async prepare(statement: SqlStatement, call: Call): Promise<PreparedStatement> {
    const { sql } = boundOf(statement);
    const count = placeholderCountOf(sql);
    const parameters = Array.from(
      { length: count },
      () => ({ type: 'NULL', value: null }) as const,
    );
    const { schema, parameterTypes } = await this.#describe(
      { sql, ...(count > 0 && { parameters }) },
      call,
    );
    return {
      handle: encodeStatementHandle({ sql }),
      datasetSchema: encodeSchema(schema),
      parameterSchema: parameterTypes && schemaMessageOf(parameterSchemaOf(parameterTypes)),
    };
  }

  async runPrepared(handle: Uint8Array, call: Call): Promise<Partial<FlightInfo>> {
    return this.#run(decodeStatementHandle(handle), call);
  }

  async pollPrepared(handle: Uint8Array, call: Call): Promise<Partial<PollInfo>> {
    return this.#startPolling(decodeStatementHandle(handle), call);
  }

  async describePrepared(handle: Uint8Array, call: Call): Promise<Uint8Array> {
    return encodeSchema((await this.#describe(decodeStatementHandle(handle), call)).schema);
  }

  async bindParameters(handle: Uint8Array, data: AsyncIterable<FlightData>): Promise<Uint8Array> {
    const { sql } = decodeStatementHandle(handle);
    return encodeStatementHandle({ sql, parameters: await readParameters(data) });
  }

  /** The broker stores no state of a prepared statement. */
  async closePrepared(): Promise<void> {}

  async findPath(path: readonly string[], call: Call): Promise<Partial<FlightInfo>> {
    const { requestId } = polledOf(path);
    const { principal } = call.context;
    const query = this.#context.queries.running(principal, requestId);
    if (query?.growth !== undefined) {
      await query.untilFirstBatch({ signal: call.signal });
      if (query.outcome === undefined) return infoOfRunning(query.growth);
    } else if (query !== undefined) {
      throw new QuireError(
        'CONFLICT',
        `The query ${requestId} is running and its rows cannot be read before it has ended; try again later.`,
      );
    }
    assertNotFailed(this.#context, principal, requestId);
    return infoOfResult(await this.#open(requestId, call));
  }

  async pollPath(path: readonly string[], call: Call): Promise<Partial<PollInfo>> {
    const { requestId, ends } = polledOf(path);
    const { principal } = call.context;
    const query = this.#context.queries.running(principal, requestId);
    const growth = query?.growth;
    if (query !== undefined && growth !== undefined) {
      const { rowsWaitMaxMs: waitMs = rowsWaitMaxMsDefault } = this.#context.options;
      const lastEnd = ends.at(-1) ?? 0;
      const wantsMore = ends.length < polledEndsMax;
      const wanted = wantsMore ? lastEnd + 1 : Number.MAX_SAFE_INTEGER;
      await query.untilRows(wanted, { waitMs, signal: call.signal });
      if (query.outcome === undefined) {
        const { rowCount } = growth;
        const now = wantsMore && rowCount > lastEnd ? [...ends, rowCount] : ends;
        return {
          info: wholeInfo(infoOfGrowth(growth, now)),
          descriptor: polling(requestId, now),
          expirationTime: timestampOf(this.#context.clock.nowMs() + this.#flight.expirationMs),
        };
      }
    }
    assertNotFailed(this.#context, principal, requestId);
    const result = await this.#open(requestId, call);
    return { info: wholeInfo(infoOfResult(result, { ends })), progress: 1 };
  }

  /** Cancels a running query; deletes the result of one that has ended. */
  async cancel(info: FlightInfo, call: Call): Promise<number> {
    const { principal, log, remoteAddress } = call.context;
    const { requestId } = resultOf(info);
    const { queries } = this.#context;
    const audited = { log, principal: principal.name, remoteAddress, requestId };
    const query = queries.running(principal, requestId);
    if (query !== undefined) {
      const by = principal.name === query.owner ? 'its owner' : 'an admin';
      await query.cancel(`The query was cancelled by ${by}.`);
      if (query.state !== 'CANCELLED') return cancelStatuses.notCancellable;
      auditCall(audited, 'query cancelled', { reason: 'cancelled', owner: query.owner });
      return cancelStatuses.cancelled;
    }
    const { sizeBytes } = await this.#own(call).delete(requestId);
    auditCall(audited, 'result deleted', { reason: 'deleted', sizeBytes });
    return cancelStatuses.cancelled;
  }

  async renew(endpoint: FlightEndpoint, call: Call): Promise<Partial<FlightEndpoint>> {
    const { principal, log } = call.context;
    const rows = ticketOf(endpoint);
    const { requestId } = rows;
    const { queries } = this.#context;
    queries.assertFinished(principal, requestId);
    const { expirationTimeMs } = await this.#own(call).renew(requestId, this.#flight.expirationMs);
    log.info({ resultId: requestId, expirationTimeMs }, 'result renewed');
    return endpointOf(rows, expirationTimeMs);
  }

  /**
   * Sets session options. There are no sessions, so only options without an effect are accepted.
   */
  async setSessionOptions(
    options: ReadonlyMap<string, SessionOptionValue>,
  ): Promise<ReadonlyMap<string, number>> {
    const failed = new Map<string, number>();
    for (const [name, { text }] of options) {
      const only = sessionOptions[name];
      if (only === undefined) failed.set(name, sessionOptionErrors.invalidName);
      else if (text !== only) failed.set(name, sessionOptionErrors.invalidValue);
    }
    return failed;
  }

  async getSessionOptions(): Promise<ReadonlyMap<string, Partial<SessionOptionValue>>> {
    return new Map(Object.entries(sessionOptions).map(([name, text]) => [name, { text }]));
  }

  async closeSession(): Promise<void> {}

  async catalogs(): Promise<readonly string[]> {
    return [catalogName];
  }

  async dbSchemas() {
    return [{ catalog: catalogName, dbSchema: dbSchemaName }];
  }

  async tableTypes(): Promise<readonly string[]> {
    return [tableType];
  }

  async tables(): Promise<readonly TableEntry[]> {
    const names = (await this.#context.options.listTables?.()) ?? [];
    return names
      .toSorted()
      .map((name) => ({ catalog: catalogName, dbSchema: dbSchemaName, name, type: tableType }));
  }

  async tableSchema({ name }: TableEntry, call: Call): Promise<Uint8Array | undefined> {
    const { principal } = call.context;
    const query = columnsQueryOf(name);
    try {
      const { signal } = call;
      const { schema } = await describeInTurn(this.#context, principal, { query, signal });
      return encodeSchema(schema);
    } catch (error) {
      if (isQuireError(error, 'TABLE_NOT_FOUND')) return undefined;
      throw error;
    }
  }

  typeInfo = () => typeEntriesOf(this.#context.options);

  sqlInfo = () => readOnlySqlInfo(serverDescriptionOf(this.#context.options));

  async #run(statement: BoundStatement, call: Call): Promise<Partial<FlightInfo>> {
    const answer = await runStatement(this.#context, this.#flight, statement, call);
    if (answer.kind === 'growing') return infoOfRunning(answer.growth);
    return infoOfResult(answer.result, answer);
  }

  async #startPolling(statement: BoundStatement, call: Call): Promise<Partial<PollInfo>> {
    const query = await startStatement(this.#context, this.#flight, statement, call);
    // A failure is recorded, and the poll reports it.
    return this.pollPath([query.requestId], call);
  }

  async #describe(
    { sql: text, parameters }: BoundStatement,
    { context: { principal }, signal }: Call,
  ): Promise<QueryDescription> {
    const { sql, dialect } = parseQueryText(this.#context, principal, { sql: text });
    const query = { sql, dialect, parameters };
    const results = await openNamedResults(this.#context, principal, sql, signal);
    return describeInTurn(this.#context, principal, { query, results, signal });
  }

  #own({ context: { principal } }: Call): OwnResults {
    return new OwnResults(this.#context.results, principal);
  }

  #open(requestId: string, call: Call): Promise<Result> {
    return this.#own(call).open(requestId, { signal: call.signal });
  }
}

/** The session options: a session always has one catalog and one schema. */
const sessionOptions: Readonly<Record<string, string>> = {
  catalog: catalogName,
  schema: dbSchemaName,
};

function boundOf({ query: sql, transactionId }: SqlStatement): BoundStatement {
  if (transactionId === undefined || transactionId.length === 0) return { sql };
  throw new QuireError('UNSUPPORTED', 'This server has no transactions.');
}

const polling = (requestId: RequestId, ends: readonly number[]) => ({
  type: 1,
  command: new Uint8Array(0),
  path: [requestId, ends.join(',')],
});

/**
 * Parses a path: the id of a result and, for polls, the ends of the endpoints that were returned so
 * far.
 */
function polledOf([requestId = '', ends = '']: readonly string[]): {
  readonly requestId: RequestId;
  readonly ends: readonly number[];
} {
  const counts = ends === '' ? [] : ends.split(',').map(Number);
  const isOrdered = counts.every(
    (end, index) => Number.isSafeInteger(end) && end > (counts[index - 1] ?? 0),
  );
  if (isRequestId(requestId) && isOrdered && counts.length <= polledEndsMax) {
    return { requestId, ends: counts };
  }
  const shown = JSON.stringify(requestId.slice(0, 64));
  throw new QuireError(
    'INVALID_PARAMETER',
    `The path of the descriptor begins with ${shown}; expected the id of a query.`,
  );
}

/** @throws INVALID_PARAMETER when the ticket of the endpoint is not that of a result */
function ticketOf({ ticket }: FlightEndpoint): RowsTicket {
  return decodeRowsTicket(handleOfTicket(ticket?.ticket ?? new Uint8Array(0)));
}

function resultOf({ endpoints: [first], descriptor }: FlightInfo): { requestId: RequestId } {
  if (first !== undefined) return ticketOf(first);
  return polledOf(descriptor?.path ?? []);
}

function wholeInfo(info: Partial<FlightInfo>): FlightInfo {
  return info as FlightInfo;
}
