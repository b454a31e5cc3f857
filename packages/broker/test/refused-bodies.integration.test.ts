import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { TestBroker } from '../../../test/src/testkit/broker-server.ts';

const lengthBytes = 300_000;
const usual = { authorization: 'Bearer ann-token', 'content-type': 'application/json' };

const refusals: readonly (readonly [
  reason: string,
  status: number,
  path: string,
  headers: Readonly<Record<string, string>>,
])[] = [
  ['UNSUPPORTED_MEDIA_TYPE', 415, '/query/sql', { ...usual, 'content-type': 'text/plain' }],
  ['UNSUPPORTED_MEDIA_TYPE', 415, '/query/sql', { ...usual, 'content-encoding': 'gzip' }],
  ['BODY_TOO_LARGE', 413, '/query/sql', usual],
  ['UNAUTHENTICATED', 401, '/query/sql', { 'content-type': 'application/json' }],
];

test.each(refusals)(
  'a client that is answered %s while it still sends can send the rest, and its next call on the same connection',
  async (reason, status, path, headers) => {
    await using broker = await TestBroker.start();
    const { host, port } = broker.address;
    const socket = connect(port, host).setEncoding('latin1');
    const chunks = socket[Symbol.asyncIterator]() as AsyncIterator<string>;
    let text = '';
    const readUntil = async (end: string): Promise<string> => {
      while (!text.includes(end)) {
        const { done, value } = await chunks.next();
        if (done === true) throw new Error(`The connection was closed after: ${text}`);
        text += value;
      }
      const answer = text;
      text = '';
      return answer;
    };
    const lines = Object.entries({ host: 'b', ...headers, 'content-length': lengthBytes }).map(
      ([name, value]) => `${name}: ${value}`,
    );
    socket.write(`POST ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n{"sql":`);
    const refused = await readUntil('"}');
    expect([refused.slice(0, 13), refused.includes(`"reason":"${reason}"`)]).toEqual([
      `HTTP/1.1 ${status} `,
      true,
    ]);
    socket.write(
      `${' '.repeat(lengthBytes - '{"sql":'.length)}GET /health HTTP/1.1\r\nhost: b\r\n\r\n`,
    );
    expect((await readUntil('}')).slice(0, 13)).toBe('HTTP/1.1 200 ');
    socket.destroy();
  },
);

test('a client that announces more than anybody reads to its end is answered, and its connection is closed', async () => {
  await using broker = await TestBroker.start();
  const { host, port } = broker.address;
  const socket = connect(port, host).setEncoding('latin1');
  socket.write(
    `POST /query/sql HTTP/1.1\r\nhost: b\r\nauthorization: ${usual.authorization}\r\ncontent-type: text/plain\r\ncontent-length: 20000000\r\n\r\n`,
  );
  let text = '';
  for await (const chunk of socket as AsyncIterable<string>) text += chunk;
  expect([text.slice(0, 13), text.toLowerCase().includes('\r\nconnection: close\r\n')]).toEqual([
    'HTTP/1.1 415 ',
    true,
  ]);
});
