import { expect, it } from 'vitest';
import { prettyLogLine } from '../src/create-logger.ts';
import { plainStyles } from '../src/styles.ts';

const entry = {
  level: 30,
  time: '2026-01-01T12:34:56.789Z',
  pid: 1,
  hostname: 'host',
  msg: 'query stored',
};

it('a line of the log becomes the time, the level, the message and what else is known', () => {
  const line = prettyLogLine(
    JSON.stringify({ ...entry, rowCount: 12, tables: ['a', 'b'], route: '/query/sql' }),
    plainStyles,
  );
  expect(line).toBe(
    '12:34:56 info  query stored  rowCount=12  tables=["a","b"]  route=/query/sql\n',
  );
});

it('an error shows its stack below', () => {
  const err = { type: 'Error', message: 'no', stack: 'Error: no\n    at here' };
  expect(
    prettyLogLine(JSON.stringify({ ...entry, level: 50, msg: 'call failed', err }), plainStyles),
  ).toBe('12:34:56 error call failed\n         Error: no\n             at here\n');
});

it('nothing that somebody sent acts on the terminal', () => {
  const line = prettyLogLine(
    JSON.stringify({ ...entry, msg: '\u001b[2J', route: '\u0007\n' }),
    plainStyles,
  );
  expect(line).toBe('12:34:56 info  \\x1b[2J  route=\\x07\\n\n');
});
