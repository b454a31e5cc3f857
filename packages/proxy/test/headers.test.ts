import type { IncomingMessage } from 'node:http';
import { describe, expect, test } from 'vitest';
import {
  callerRequestId,
  requestHeadersOf,
  responseHeadersOf,
} from '../src/forwarding/end-to-end-headers.ts';

/** A request from 192.0.2.7 with these headers. */
function requestWith(
  headers: Readonly<Record<string, string>>,
  socket: object = {},
): IncomingMessage {
  const rawHeaders = Object.entries(headers).flat();
  const lowerCased = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
  return {
    headers: lowerCased,
    rawHeaders,
    httpVersion: '1.1',
    socket: { remoteAddress: '192.0.2.7', ...socket },
  } as never;
}

function pairsOf(raw: readonly string[]): [string, string][] {
  return raw.flatMap((name, index): [string, string][] =>
    index % 2 === 0 ? [[name, raw[index + 1] ?? '']] : [],
  );
}

describe('the headers of a call that goes on', () => {
  test('the headers of a call that goes on are those for the other end, as they came, and say where the call came from', () => {
    const request = requestWith({
      Host: 'quire.example:8080',
      Authorization: 'Bearer x',
      Accept: 'text/csv',
      TE: 'trailers',
    });
    expect(pairsOf(requestHeadersOf(request, 'id-1'))).toEqual([
      ['Authorization', 'Bearer x'],
      ['Accept', 'text/csv'],
      ['via', '1.1 quire-proxy'],
      ['x-forwarded-for', '192.0.2.7'],
      ['x-forwarded-proto', 'http'],
      ['forwarded', 'for=192.0.2.7;host="quire.example:8080";proto=http'],
      ['x-request-id', 'id-1'],
      ['x-forwarded-host', 'quire.example:8080'],
    ]);
  });

  test.each([
    'Connection',
    'Keep-Alive',
    'Proxy-Authorization',
    'Transfer-Encoding',
    'Upgrade',
    'Content-Length',
    'FORWARD_HOST',
  ])('the headers of a call that goes on leave out %s, which is for the proxy', (name) => {
    const names = pairsOf(requestHeadersOf(requestWith({ [name]: 'x' }), 'id')).map(([each]) =>
      each.toLowerCase(),
    );
    expect(names).not.toContain(name.toLowerCase());
  });

  test('the headers of a call that goes on leave out what Connection lists', () => {
    const request = requestWith({ Connection: 'close, X-Secret', 'X-Secret': '1', 'X-Open': '2' });
    const names = pairsOf(requestHeadersOf(request, 'id')).map(([name]) => name);
    expect([names.includes('X-Secret'), names.includes('X-Open')]).toEqual([false, true]);
  });

  test('the headers of a call that goes on append to what earlier proxies said, and keep the id that the caller gave', () => {
    const headers = {
      Via: '1.0 edge',
      'X-Forwarded-For': '198.51.100.1',
      Forwarded: 'for=198.51.100.1',
      'X-Request-Id': 'mine',
    };
    const passed = new Map(pairsOf(requestHeadersOf(requestWith(headers), 'id')));
    expect(passed.get('via')).toBe('1.0 edge, 1.1 quire-proxy');
    expect(passed.get('x-forwarded-for')).toBe('198.51.100.1, 192.0.2.7');
    expect(passed.get('forwarded')).toBe('for=198.51.100.1, for=192.0.2.7;proto=http');
    expect(passed.get('x-request-id')).toBe('mine');
  });

  test('the headers of a call that goes on quote an IPv6 address, name https, and repeat no host that is not one', () => {
    const request = requestWith({ Host: 'a"b' }, { remoteAddress: 'fd00::1', encrypted: true });
    const passed = new Map(pairsOf(requestHeadersOf(request, 'id')));
    expect([passed.get('forwarded'), passed.has('x-forwarded-host')]).toEqual([
      'for="[fd00::1]";proto=https',
      false,
    ]);
  });
});

test('the headers of an answer come back as they are, duplicates included, but for those between neighbours', () => {
  const raw = [
    'Set-Cookie',
    'a',
    'Set-Cookie',
    'b',
    'Connection',
    'X-Hop',
    'X-Hop',
    '1',
    'ETag',
    '"e"',
    'Via',
    '1.1 inner',
  ];
  expect(pairsOf(responseHeadersOf(raw, 'X-Hop', '1.1 inner'))).toEqual([
    ['Set-Cookie', 'a'],
    ['Set-Cookie', 'b'],
    ['ETag', '"e"'],
    ['via', '1.1 inner, 1.1 quire-proxy'],
  ]);
});

test.each([
  ['abc-1.2:3_4', 'abc-1.2:3_4'],
  ['a'.repeat(129), undefined],
  ['two words', undefined],
  ['', undefined],
  [['a', 'b'], undefined],
  [undefined, undefined],
])('the id %j of a caller is passed on as %j', (value, expected) => {
  expect(callerRequestId(value)).toBe(expected);
});
