import type { IncomingMessage } from 'node:http';
import { forwardHeaders } from '@quire/api';
import type { TraceHeaders } from '@quire/core/trace';

/** What is between two neighbours and no further (RFC 9110 section 7.6.1). */
const hopByHop: readonly string[] = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];

/**
 * What is for the proxy, or what it says itself. `Origin` and `Sec-Fetch-Site` are for the server
 * that the page called: the proxy has refused what pages of other origins may not do, and a broker
 * has another host name than the page knows.
 */
const ownOfRequests: readonly string[] = [
  ...Object.values(forwardHeaders),
  'content-length',
  'expect',
  'forwarded',
  'host',
  'origin',
  'sec-fetch-site',
  'via',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-request-id',
];

const dropsOfRequests: ReadonlySet<string> = new Set([...hopByHop, ...ownOfRequests]);
const dropsOfResponses: ReadonlySet<string> = new Set([...hopByHop, 'via']);

/** How the proxy calls itself in `Via` (RFC 9110 section 7.6.3). */
const viaName = '1.1 quire-proxy';

/**
 * Names and values alternately, as Node and undici take them: as they came, in their order,
 * duplicates included.
 */
export type RawHeaders = readonly string[];

/**
 * The headers with which a call goes on to a broker: those of the caller that are meant for the
 * other end, and what the proxy adds.
 */
export function requestHeadersOf(request: IncomingMessage, requestId: string): string[] {
  const { headers, rawHeaders } = request;
  const passed = withoutNames(rawHeaders, dropsOfRequests, headers.connection);
  for (const [name, value] of Object.entries(hopHeadersOf(request, requestId))) {
    passed.push(name, value);
  }
  return passed;
}

const traceNames: ReadonlySet<string> = new Set(['traceparent', 'tracestate']);

/**
 * Returns the headers with those of a span of the proxy instead of the caller's, which go on unchanged
 * where the proxy records no spans.
 */
export function withTrace(headers: RawHeaders, trace: TraceHeaders | undefined): RawHeaders {
  if (trace === undefined) return headers;
  const { traceparent, tracestate } = trace;
  const others = withoutNames(headers, traceNames, undefined);
  others.push('traceparent', traceparent);
  if (tracestate !== undefined) others.push('tracestate', tracestate);
  return others;
}

/**
 * The headers of a call that the proxy makes itself on behalf of a caller: the caller's
 * credentials, and what the proxy adds to every call. Brokers that trust the proxy thus count wrong
 * credentials by the caller's address here, too.
 */
export function onBehalfHeadersOf(
  request: IncomingMessage,
  requestId: string,
): Record<string, string> {
  return {
    authorization: request.headers.authorization ?? '',
    ...hopHeadersOf(request, requestId),
  };
}

/**
 * The headers that the proxy adds to every call on behalf of a caller. `Via`, `Forwarded` and
 * `X-Forwarded-*` say where the call came from; what earlier proxies said in them stands first, and
 * proves nothing.
 */
function hopHeadersOf(
  { headers, socket, httpVersion }: IncomingMessage,
  requestId: string,
): Record<string, string> {
  const client = socket.remoteAddress ?? 'unknown';
  const scheme = 'encrypted' in socket ? 'https' : 'http';
  const host = /^[\w.:[\]-]{1,255}$/.test(headers.host ?? '') ? headers.host : undefined;
  const element = `for=${forwardedNode(client)}${host === undefined ? '' : `;host="${host}"`};proto=${scheme}`;
  return {
    via: appended(headers.via, `${httpVersion} quire-proxy`),
    'x-forwarded-for': appended(joined(headers['x-forwarded-for']), client),
    'x-forwarded-proto': scheme,
    forwarded: appended(headers.forwarded, element),
    'x-request-id': callerRequestId(headers['x-request-id']) ?? requestId,
    ...(host !== undefined && { 'x-forwarded-host': host }),
  };
}

/** The headers with which a broker's answer goes on to the caller. */
export function responseHeadersOf(
  rawHeaders: RawHeaders,
  connection: string | undefined,
  via: string | undefined,
): string[] {
  const passed = withoutNames(rawHeaders, dropsOfResponses, connection);
  passed.push('via', appended(via, viaName));
  return passed;
}

/** The id that the caller gave its call, if it is one that can be passed on and logged. */
export function callerRequestId(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === 'string' && /^[\w.:-]{1,128}$/.test(value) ? value : undefined;
}

/** What `Connection` lists is between two neighbours as well. */
function withoutNames(
  headers: RawHeaders,
  names: ReadonlySet<string>,
  connection: string | undefined,
): string[] {
  const listed =
    connection === undefined ? [] : connection.split(',').map((name) => name.trim().toLowerCase());
  const kept: string[] = [];
  for (let index = 0; index + 1 < headers.length; index += 2) {
    const name = headers[index] ?? '';
    const lowerCased = name.toLowerCase();
    if (!names.has(lowerCased) && !listed.includes(lowerCased)) {
      kept.push(name, headers[index + 1] ?? '');
    }
  }
  return kept;
}

function appended(before: string | undefined, value: string): string {
  return before === undefined || before === '' ? value : `${before}, ${value}`;
}

function joined(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : value?.join(', ');
}

/** RFC 7239 section 6: IPv6 addresses in brackets, and so in quotes. */
function forwardedNode(ip: string): string {
  return ip.includes(':') ? `"[${ip}]"` : ip;
}
