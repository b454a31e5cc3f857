import { expect, test } from 'vitest';
import { decodeStatementHandle, encodeStatementHandle } from '../src/flight/handles.ts';

test('the handle of a statement keeps its parameters, with the sign of -0', () => {
  const statement = {
    sql: 'SELECT 1e0 / ?, ?',
    parameters: [
      { type: 'DOUBLE', value: -0 },
      { type: 'DOUBLE', value: 0 },
      { type: 'LONG', value: '-9223372036854775808' },
    ],
  } as const;
  expect(decodeStatementHandle(encodeStatementHandle(statement))).toEqual(statement);
});
