import { describe, expect, test } from 'vitest';
import { withoutInstances } from '../src/http/instance-names.ts';
import { failureOf } from '../src/query/query-failure.ts';

/** Exceptions of Apache Pinot 1.5.1 (`record-answers.process.ts` of `test/src/pinot`). */
const dispatch =
  'QueryExecutionError: Error dispatching query: 342926486000000003 to server: 127.0.0.1@{40125,40941}\n' +
  'org.apache.pinot.query.service.dispatch.QueryDispatcher.processResults(QueryDispatcher.java:356)\n' +
  'UNAVAILABLE: io exception\nio.grpc.Status.asRuntimeException(Status.java:532)\n' +
  'finishConnect(..) failed with error(-111): Connection refused: /127.0.0.1:40941';
const routing =
  "InternalError: Error while planning query. Error composing query plan for 'select count(*) from lakes': Unable to find routing entries for table: lakes'. Unable to find routing entries for table: lakes";
const tooLarge =
  'Serialized query response size 40307 exceeds threshold 500 for requestId 342926486000000010 from broker Broker_127.0.0.1_37009';

describe('a server that is down', () => {
  test.each([
    [305, '1 segments unavailable: [held_1795405354571]'],
    [235, 'Found 1 unavailable segments for table held: [held_1795405354571]'],
    [230, 'Found 1 unavailable segments for table held: [held_1795405354571]'],
    [427, '1 servers [127.0.0.1_O] not responded'],
    [425, 'Connection refused: /127.0.0.1:40159'],
    [200, dispatch],
    [450, routing],
  ])('a server that is down is one failure, whichever engine met it: %i', (errorCode, message) => {
    const failure = failureOf([{ errorCode, message }]);
    expect(failure).toMatchObject({ code: 'ENGINE_UNAVAILABLE', kind: 'unavailable' });
    expect(failure.message).not.toMatch(/127\.0\.0\.1|org\.apache|io\.grpc/);
  });

  test('callers of a failed dispatch read a sentence and the log the trace', () => {
    const failure = failureOf([{ errorCode: 200, message: dispatch }]);
    expect(failure).toMatchObject({
      exceptionNumber: 425,
      message: 'A broker of Apache Pinot could not send the query to a server.',
      cause: expect.objectContaining({ message: dispatch }),
    });
  });
});

test('an answer that is too large is 245, a limit, and not a cancelled query', () => {
  expect(failureOf([{ errorCode: 503, message: tooLarge }])).toMatchObject({
    code: 'QUERY_LIMIT_EXCEEDED',
    exceptionNumber: 245,
    message:
      'Serialized query response size 40307 exceeds threshold 500 for requestId 342926486000000010 from a broker',
  });
  expect(failureOf([{ errorCode: 503, message: 'Query was cancelled' }])).toMatchObject({
    code: 'QUERY_CANCELLED',
    exceptionNumber: 503,
  });
});

test('an exception without a message is the failure that its number says', () => {
  expect(failureOf([{ errorCode: 250, message: null }])).toMatchObject({
    code: 'QUERY_TIMED_OUT',
    exceptionNumber: 250,
    message: 'Apache Pinot gives no reason.',
  });
});

test.each([
  [
    'Received 1 error from stage 2 on Server_127.0.0.1_33173: For input string: "text 5000"',
    'Received 1 error from stage 2 on a server: For input string: "text 5000"',
  ],
  [
    'from Server_pinot-server-0.pinot-server-headless.pinot.svc.cluster.local_8098 to Broker_pinot-broker-0_8099',
    'from a server to a broker',
  ],
  ['2 servers [127.0.0.1_O, pinot-1_R] not responded', '2 servers not responded'],
  ['to server: pinot-1@{40125,40941}', 'to a server'],
  ['Connection refused: pinot-1/10.0.0.7:8098', 'Connection refused: a server'],
  ['Connection refused: /127.0.0.1:40159', 'Connection refused: a server'],
  ["Unknown columns: 'Server_load' in a.b_O", "Unknown columns: 'Server_load' in a.b_O"],
])('names of instances are replaced wherever they stand: %s', (words, message) => {
  expect(withoutInstances(words)).toBe(message);
});

test('a query that the cluster repeats has no LIMIT that its caller did not write', () => {
  const message =
    'SQLParsingError: Caught exception while parsing query: SELECT n FRM many LIMIT 2147483647';
  expect(failureOf([{ errorCode: 150, message }]).message).toBe(
    'SQLParsingError: Caught exception while parsing query: SELECT n FRM many',
  );
});

test.each([
  ['SELECT a FROM t ORDER BY', 1, 24],
  ['SELECT a\nFROM t ORDER BY', 2, 15],
])(
  'a parser that stumbles over an added LIMIT has met the end of the query: %s',
  (sql, line, column) => {
    const said = (text: string, found: string, at: number): string =>
      `SQLParsingError: Caught exception while parsing query: ${text}: Encountered ${found} at line ${line}, column ${at}.`;
    const message = said(`${sql} LIMIT 2147483647`, '" "LIMIT" "LIMIT ""', column + 2);
    expect(failureOf([{ errorCode: 150, message }]).message).toBe(said(sql, '"<EOF>"', column));
  },
);

test('a parser that stumbles over a LIMIT of the caller names it', () => {
  const message =
    'SQLParsingError: Caught exception while parsing query: SELECT a FROM (SELECT b FROM LIMIT 3) LIMIT 2147483647: Encountered " "LIMIT" "LIMIT "" at line 1, column 30.';
  expect(failureOf([{ errorCode: 150, message }]).message).toBe(
    message.replace(' LIMIT 2147483647', ''),
  );
});
