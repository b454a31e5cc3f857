import { QuireError } from '@quire/core';
import type { FlightCall } from '../flight-producer.ts';
import {
  type Action,
  type ActionType,
  cancelFlightInfoRequestCodec,
  cancelFlightInfoResultCodec,
  closeSessionResultCodec,
  closeSessionStatuses,
  flightEndpointCodec,
  flightInfoCodec,
  renewFlightEndpointRequestCodec,
  type SessionOptionValue,
  sessionOptionsCodec,
  setSessionOptionsResultCodec,
} from '../wire/flight-messages.ts';
import { packActionBody, unpackActionBody } from '../wire/sql-messages.ts';
import type { FlightSqlProducer } from './flight-sql-producer.ts';

/** Runs an action; undefined when the producer does not have it. */
type RunAction = <Context>(
  sql: FlightSqlProducer<Context>,
  body: Uint8Array,
  call: FlightCall<Context>,
) => Promise<Uint8Array | undefined> | undefined;

interface SqlAction {
  readonly description: string;
  /** The call of the producer that it invokes. */
  readonly needs: keyof FlightSqlProducer;
  readonly run: RunAction;
}

const actions: Readonly<Record<string, SqlAction>> = {
  CreatePreparedStatement: {
    description: 'Prepares a statement.',
    needs: 'prepare',
    run: async (sql, body, call) => {
      const statement = unpackActionBody('ActionCreatePreparedStatementRequest', body);
      const prepared = await sql.prepare?.(statement, call);
      return (
        prepared &&
        packActionBody('ActionCreatePreparedStatementResult', {
          handle: prepared.handle,
          datasetSchema: prepared.datasetSchema ?? new Uint8Array(0),
          parameterSchema: prepared.parameterSchema ?? new Uint8Array(0),
        })
      );
    },
  },
  ClosePreparedStatement: {
    description: 'Closes a prepared statement.',
    needs: 'closePrepared',
    run: async (sql, body, call) => {
      const { handle } = unpackActionBody('ActionClosePreparedStatementRequest', body);
      await sql.closePrepared?.(handle, call);
      return undefined;
    },
  },
  CancelFlightInfo: {
    description: 'Cancels a query, or deletes its stored result.',
    needs: 'cancel',
    run: async (sql, body, call) => {
      const { info } = cancelFlightInfoRequestCodec.decode(body);
      if (info === undefined) throw lacks('CancelFlightInfo', 'info');
      const status = await sql.cancel?.(info, call);
      return status === undefined ? undefined : cancelFlightInfoResultCodec.encode({ status });
    },
  },
  CancelQuery: {
    description:
      'Cancels a query, or deletes its stored result; the predecessor of CancelFlightInfo.',
    needs: 'cancel',
    run: async (sql, body, call) => {
      const { info } = unpackActionBody('ActionCancelQueryRequest', body);
      const result = await sql.cancel?.(flightInfoCodec.decode(info), call);
      return result === undefined
        ? undefined
        : packActionBody('ActionCancelQueryResult', { result });
    },
  },
  RenewFlightEndpoint: {
    description: 'Extends the time that a stored result is kept.',
    needs: 'renew',
    run: async (sql, body, call) => {
      const { endpoint } = renewFlightEndpointRequestCodec.decode(body);
      if (endpoint === undefined) throw lacks('RenewFlightEndpoint', 'endpoint');
      const renewed = await sql.renew?.(endpoint, call);
      return renewed && flightEndpointCodec.encode(renewed);
    },
  },
  SetSessionOptions: {
    description: 'Sets options of the session.',
    needs: 'setSessionOptions',
    run: async (sql, body, call) => {
      const { options } = sessionOptionsCodec.decode(body);
      const failed = await sql.setSessionOptions?.(options, call);
      if (failed === undefined) return undefined;
      const errors = new Map([...failed].map(([name, value]) => [name, { value }]));
      return setSessionOptionsResultCodec.encode({ errors });
    },
  },
  GetSessionOptions: {
    description: 'Returns the options of the session.',
    needs: 'getSessionOptions',
    run: async (sql, _body, call) => {
      const options = await sql.getSessionOptions?.(call);
      return (
        options &&
        sessionOptionsCodec.encode({ options: options as ReadonlyMap<string, SessionOptionValue> })
      );
    },
  },
  CloseSession: {
    description: 'Closes the session.',
    needs: 'closeSession',
    run: async (sql, _body, call) => {
      await sql.closeSession?.(call);
      return closeSessionResultCodec.encode({ status: closeSessionStatuses.closed });
    },
  },
};

/** Returns the actions that a producer has. */
export function sqlActions<Context>(sql: FlightSqlProducer<Context>): readonly ActionType[] {
  return Object.entries(actions)
    .filter(([, { needs }]) => sql[needs] !== undefined)
    .map(([type, { description }]) => ({ type, description }));
}

/** Runs an action. @throws UNSUPPORTED when the producer does not have it */
export async function* runAction<Context>(
  sql: FlightSqlProducer<Context>,
  { type, body }: Action,
  call: FlightCall<Context>,
): AsyncGenerator<Uint8Array> {
  const action = Object.hasOwn(actions, type) ? actions[type] : undefined;
  if (action === undefined || sql[action.needs] === undefined) {
    const known = sqlActions(sql).map((each) => each.type);
    throw new QuireError(
      'UNSUPPORTED',
      `There is no action ${JSON.stringify(type.slice(0, 80))}; expected one of ${known.join(', ')}.`,
    );
  }
  const result = await action.run(sql, body, call);
  if (result !== undefined) yield result;
}

function lacks(action: string, member: string): QuireError {
  return new QuireError('INVALID_BODY', `The body of ${action} has no ${member}.`);
}
