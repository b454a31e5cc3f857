import {
  basicAuthCodec,
  cancelFlightInfoRequestCodec,
  cancelFlightInfoResultCodec,
  cancelStatuses,
  createFlightSqlProducer,
  dataOfBatch,
  type FlightEndpoint,
  flightEndpointCodec,
  type FlightInfo,
  type FlightProducer,
  type FlightServerOptions,
  type FlightSqlProducer,
  type OutgoingData,
  readOnlySqlInfo,
  renewFlightEndpointRequestCodec,
  schemaMessageOf,
  sessionOptionErrors,
  type SessionOptionValue,
  statementTicket,
  type Timestamp,
} from '@quire/flight';
import { QuireError } from '@quire/core';
import {
  Field,
  Int32,
  Int64,
  RecordBatch,
  Schema,
  Struct,
  makeData,
  Uint32,
  vectorFromArray,
} from 'apache-arrow';

/*
 * The servers that the integration client of Apache Arrow expects, one for each scenario: each
 * plays its part and does nothing else. Source:
 * https://github.com/apache/arrow-go/blob/v18.8.0/arrow/internal/flight_integration/scenario.go
 */

/** The differences of a scenario's server from an ordinary one. */
export type Scenario = Pick<FlightServerOptions<string>, 'producer'> &
  Partial<Pick<FlightServerOptions<string>, 'open'>>;

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
const nothing = new Uint8Array(0);

const endpoint = (ticket: string, more: Partial<FlightEndpoint> = {}): FlightEndpoint => ({
  ticket: { ticket: encode(ticket) },
  locations: [],
  expirationTime: undefined,
  appMetadata: nothing,
  ...more,
});

const info = (schema: Schema, endpoints: readonly FlightEndpoint[]): Partial<FlightInfo> => ({
  schema: schemaMessageOf(schema),
  endpoints,
  totalRecords: -1n,
  totalBytes: -1n,
});

const numbers = new Schema([new Field('number', new Uint32(), false)]);
const signedNumbers = new Schema([new Field('number', new Int32(), false)]);

function batchOf(schema: Schema, values: readonly number[]): OutgoingData[] {
  const [field] = schema.fields;
  const [column] = vectorFromArray(values, field?.type as Int32).data;
  const children = column === undefined ? [] : [column];
  const data = makeData({ type: new Struct(schema.fields), length: values.length, children });
  return dataOfBatch(new RecordBatch(schema, data));
}

async function* send<Value>(values: Iterable<Value>): AsyncGenerator<Value> {
  yield* values;
}

function basicAuth(): Scenario {
  const producer: FlightProducer<string> = {
    async *handshake(requests) {
      for await (const { payload } of requests) {
        const { username, password } = basicAuthCodec.decode(payload);
        if (username !== 'arrow' || password !== 'flight') throw refused();
        yield { payload: encode(username) };
        return;
      }
    },
    doAction: (_action, { context }) => send([encode(context)]),
  };
  const refused = () => new QuireError('UNAUTHENTICATED', 'The token is wrong.');
  return {
    producer,
    open: async ({ method, headers }) => {
      if (method === 'Handshake') return '';
      const token = Buffer.from(String(headers['auth-token-bin'] ?? ''), 'base64').toString();
      if (token !== 'arrow') throw refused();
      return token;
    },
  };
}

function middleware(): Scenario {
  return {
    producer: {
      getFlightInfo: async ({ command }, call) => {
        call.setHeader('x-middleware', String(call.headers['x-middleware'] ?? ''));
        if (decode(command) !== 'success') throw new QuireError('INTERNAL', 'unknown');
        const location = { uri: 'grpc+tcp://localhost:10010' };
        return info(new Schema([]), [endpoint('foo', { locations: [location] })]);
      },
    },
  };
}

function ordered(): Scenario {
  const factors: Record<string, number> = { '1': 1, '2': 10, '3': 100 };
  return {
    producer: {
      getFlightInfo: async ({ command }) => ({
        ...info(
          signedNumbers,
          Object.keys(factors).map((ticket) => endpoint(ticket)),
        ),
        isOrdered: decode(command) === 'ordered',
      }),
      doGet: ({ ticket }) => {
        const factor = factors[decode(ticket)] ?? 0;
        return send(batchOf(signedNumbers, [factor, 2 * factor, 3 * factor]));
      },
    },
  };
}

interface ExpiringFlight {
  expiresMs: number;
  readCount: number;
  isCancelled: boolean;
}

/** No client waits until a flight has expired. */
const lifeMinMs = 600_000;

function expirationTime(): Scenario {
  let flights: ExpiringFlight[] = [];
  const find = (ticket: Uint8Array | undefined): [ExpiringFlight, number] => {
    const index = Number.parseInt(decode(ticket ?? nothing), 10);
    const flight = flights[index];
    if (flight === undefined) throw new QuireError('INVALID_PARAMETER', 'No such flight.');
    return [flight, index];
  };
  const expiring = (lifeMs: number, name: string): FlightEndpoint => {
    const expiresMs = Date.now() + lifeMs;
    const index = flights.push({ expiresMs, readCount: 0, isCancelled: false }) - 1;
    const expires = lifeMs !== Infinity && { expirationTime: timestampOf(expiresMs) };
    return endpoint(`${index}: ${name}`, { ...expires });
  };
  const cancel = (body: Uint8Array): Uint8Array => {
    const { info: cancelled } = cancelFlightInfoRequestCodec.decode(body);
    for (const { ticket } of cancelled?.endpoints ?? []) find(ticket?.ticket)[0].isCancelled = true;
    return cancelFlightInfoResultCodec.encode({ status: cancelStatuses.cancelled });
  };
  const renew = (body: Uint8Array): Uint8Array => {
    const { endpoint: given } = renewFlightEndpointRequestCodec.decode(body);
    const [flight] = find(given?.ticket?.ticket);
    flight.expiresMs = Date.now() + 2 * lifeMinMs;
    return flightEndpointCodec.encode({ ...given, expirationTime: timestampOf(flight.expiresMs) });
  };
  return {
    producer: {
      getFlightInfo: async () => {
        flights = [];
        const lives = [Infinity, lifeMinMs, 1.2 * lifeMinMs];
        return info(
          numbers,
          lives.map((lifeMs) => expiring(lifeMs, `${lifeMs} ms`)),
        );
      },
      async *doGet({ ticket }) {
        const [flight, index] = find(ticket);
        const isSpent = flight.expiresMs === Infinity && flight.readCount > 0;
        if (flight.isCancelled || isSpent || flight.expiresMs < Date.now()) {
          throw new QuireError('INVALID_PARAMETER', 'The flight is cancelled or expired.');
        }
        flight.readCount += 1;
        yield* batchOf(numbers, [index]);
      },
      doAction: ({ type, body }) =>
        send([type === 'CancelFlightInfo' ? cancel(body) : renew(body)]),
      listActions: () =>
        ['CancelFlightInfo', 'RenewFlightEndpoint'].map((type) => ({ type, description: '' })),
    },
  };
}

function timestampOf(timeMs: number): Timestamp {
  return { seconds: BigInt(Math.floor(timeMs / 1000)), nanos: Math.round(timeMs % 1000) * 1e6 };
}

function reuseConnection(): Scenario {
  const locations = [{ uri: 'arrow-flight-reuse-connection://?' }];
  const producer: FlightProducer<string> = {
    getFlightInfo: async () => info(new Schema([]), [endpoint('reuse', { locations })]),
  };
  return { producer };
}

function pollFlightInfo(): Scenario {
  return {
    producer: {
      pollFlightInfo: async (descriptor) => {
        const found = {
          ...info(numbers, [endpoint('long-running query')]),
          descriptor,
        } as FlightInfo;
        if (decode(descriptor.command) === 'poll') return { info: found, progress: 1 };
        return {
          info: found,
          descriptor: { type: 2, command: encode('poll'), path: [] },
          progress: 0.1,
          expirationTime: timestampOf(Date.now() + lifeMinMs),
        };
      },
    },
  };
}

function appMetadata(): Scenario {
  return {
    producer: {
      getFlightInfo: async ({ command }) => ({
        ...info(numbers, [endpoint('', { appMetadata: command })]),
        appMetadata: command,
      }),
    },
  };
}

/** The column of queries, as the scenario checks it, metadata included. */
const queried = new Schema([
  new Field(
    'id',
    new Int64(),
    true,
    new Map([
      ['ARROW:FLIGHT:SQL:TABLE_NAME', 'test'],
      ['ARROW:FLIGHT:SQL:IS_AUTO_INCREMENT', '1'],
      ['ARROW:FLIGHT:SQL:IS_CASE_SENSITIVE', '0'],
      ['ARROW:FLIGHT:SQL:TYPE_NAME', 'type_test'],
      ['ARROW:FLIGHT:SQL:SCHEMA_NAME', 'schema_test'],
      ['ARROW:FLIGHT:SQL:IS_SEARCHABLE', '1'],
      ['ARROW:FLIGHT:SQL:CATALOG_NAME', 'catalog_test'],
      ['ARROW:FLIGHT:SQL:PRECISION', '100'],
      ['ARROW:FLIGHT:SQL:REMARKS', 'test column'],
    ]),
  ),
]);

const withoutData = {
  catalogs: async () => [],
  dbSchemas: async () => [],
  tableTypes: async () => [],
  tables: async () => [],
  tableSchema: async () => undefined,
  typeInfo: () => [],
  sqlInfo: () =>
    readOnlySqlInfo({
      name: 'test',
      version: '1',
      arrowVersion: '1',
      keywords: ['SELECT'],
      functions: { numeric: [], text: [], system: [], datetime: [] },
      extraNameCharacters: '',
      statementBytesMax: 0,
    }),
};

function flightSql(): Scenario {
  const found = async (handle: string): Promise<Partial<FlightInfo>> =>
    info(queried, [endpoint('', { ticket: { ticket: statementTicket(encode(handle)) } })]);
  const expectText = (given: string, wanted: string): void => {
    if (given !== wanted) throw new QuireError('INVALID_PARAMETER', `${given} is not ${wanted}.`);
  };
  const sql: FlightSqlProducer<string> = {
    ...withoutData,
    runStatement: async ({ query }) => {
      expectText(query, 'SELECT STATEMENT');
      return found('SELECT STATEMENT HANDLE');
    },
    describeStatement: async () => schemaMessageOf(queried),
    async *readTicket() {
      yield* batchOf(queried, []);
    },
    prepare: async ({ query }) => ({ handle: encode(`${query} HANDLE`) }),
    runPrepared: async (handle) => found(decode(handle)),
    describePrepared: async () => schemaMessageOf(queried),
    bindParameters: async (handle, parameters) => {
      let messageCount = 0;
      for await (const { dataHeader } of parameters) messageCount += dataHeader.length > 0 ? 1 : 0;
      expectText(String(messageCount), '2');
      return handle;
    },
    closePrepared: async (handle) => expectText(decode(handle).slice(-7), ' HANDLE'),
    update: async ({ query }) => {
      expectText(query, 'UPDATE STATEMENT');
      return 10_000n;
    },
    updatePrepared: async (handle) => {
      expectText(decode(handle), 'UPDATE PREPARED STATEMENT HANDLE');
      return 20_000n;
    },
  };
  return { producer: createFlightSqlProducer(sql) };
}

function sessionOptions(): Scenario {
  const sessions = new Map<string, Map<string, SessionOptionValue>>();
  const sessionOf = (call: {
    readonly headers: { readonly cookie?: string | undefined };
    setHeader(name: string, value: string): void;
  }): Map<string, SessionOptionValue> => {
    const cookie = /arrow_flight_session_id=([^;]+)/.exec(call.headers.cookie ?? '');
    const id = cookie?.[1] ?? `session-${sessions.size}`;
    call.setHeader('set-cookie', `arrow_flight_session_id=${id}`);
    const session = sessions.get(id) ?? new Map<string, SessionOptionValue>();
    sessions.set(id, session);
    return session;
  };
  const sql: FlightSqlProducer<string> = {
    ...withoutData,
    runStatement: async () => ({}),
    describeStatement: async () => nothing,
    async *readTicket() {
      yield* batchOf(numbers, []);
    },
    setSessionOptions: async (options, call) => {
      const session = sessionOf(call);
      const failed = new Map<string, number>();
      for (const [name, value] of options) {
        const isUnset = Object.values(value).every((member) => member === undefined);
        if (name === 'lol_invalid') failed.set(name, sessionOptionErrors.invalidName);
        else if (value.text === 'lol_invalid') failed.set(name, sessionOptionErrors.invalidValue);
        else if (isUnset) session.delete(name);
        else session.set(name, value);
      }
      return failed;
    },
    getSessionOptions: async (call) => sessionOf(call),
    closeSession: async (call) => sessionOf(call).clear(),
  };
  return { producer: createFlightSqlProducer(sql) };
}

/** The scenarios by the names that the client has for them. */
export const scenarios: Readonly<Record<string, () => Scenario>> = {
  'auth:basic_proto': basicAuth,
  middleware,
  ordered,
  'expiration_time:do_get': expirationTime,
  'expiration_time:list_actions': expirationTime,
  'expiration_time:cancel_flight_info': expirationTime,
  'expiration_time:renew_flight_endpoint': expirationTime,
  'location:reuse_connection': reuseConnection,
  poll_flight_info: pollFlightInfo,
  app_metadata_flight_info_endpoint: appMetadata,
  session_options: sessionOptions,
  flight_sql: flightSql,
};
