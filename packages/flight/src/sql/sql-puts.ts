import { QuireError } from '@quire/core';
import type { FlightCall } from '../flight-producer.ts';
import type { FlightData } from '../wire/flight-messages.ts';
import {
  preparedStatementResultCodec,
  unpackCommand,
  updateResultCodec,
} from '../wire/sql-messages.ts';
import type { FlightSqlProducer } from './flight-sql-producer.ts';

/** Answers DoPut: parameters of a prepared statement, or a statement that changes data. */
export async function* putData<Context>(
  sql: FlightSqlProducer<Context>,
  data: AsyncIterable<FlightData>,
  call: FlightCall<Context>,
): AsyncGenerator<Uint8Array> {
  const messages = data[Symbol.asyncIterator]();
  const first = await messages.next();
  const packed = first.done === true ? undefined : first.value.descriptor?.command;
  if (first.done === true || packed === undefined) {
    throw new QuireError('INVALID_BODY', 'The first message of DoPut has no descriptor.');
  }
  const { name, value } = unpackCommand(packed);
  switch (name) {
    case 'CommandPreparedStatementQuery': {
      const parameters = startingWith(first.value, messages);
      const bound = sql.bindParameters?.(value.handle, parameters, call);
      if (bound === undefined) throw new QuireError('UNSUPPORTED', 'Parameters cannot be bound.');
      yield preparedStatementResultCodec.encode({ handle: await bound });
      return;
    }
    case 'CommandStatementUpdate':
      yield updateResultCodec.encode({ recordCount: await changed(sql.update?.(value, call)) });
      return;
    case 'CommandPreparedStatementUpdate': {
      const recordCount = await changed(sql.updatePrepared?.(value.handle, call));
      yield updateResultCodec.encode({ recordCount });
      return;
    }
    default:
      throw new QuireError('UNSUPPORTED', `This server does not accept ${name}: it is read-only.`);
  }
}

function changed(recordCount: Promise<bigint> | undefined): Promise<bigint> {
  if (recordCount !== undefined) return recordCount;
  throw new QuireError(
    'UNSUPPORTED',
    'This server is read-only: it runs queries, and no statements that change data.',
  );
}

async function* startingWith<Value>(
  first: Value,
  rest: AsyncIterator<Value>,
): AsyncGenerator<Value> {
  yield first;
  for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
}
