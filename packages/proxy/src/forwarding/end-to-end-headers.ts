import type { IncomingMessage } from 'node:http';
import { forwardHeaders } from '@quire/api';
import type { TraceHeaders } from '@quire/core/trace';

/** Headers that apply to a single connection only (RFC 9110 section 7.6.1). */
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
 * Headers for the proxy, or set by it. `Origin` and `Sec-Fetch-Site` are for the server that the
 * page called: the proxy has already refused forbidden calls of other origins, and a broker has
 * another host name than the page knows.
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

/** The proxy's name in `Via` (RFC 9110 section 7.6.3). */
const viaName = '1.1 quire-proxy';

/**
 * Alternating names and values, as Node and undici use them: unchanged, in order, including
 * duplicates.
 */
export type RawHeaders = readonly string[];

/**
 * Returns the headers of a call forwarded to a broker: the caller's end-to-end headers, and those
 * that the proxy adds.
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
 * Returns the headers with those of a span of the proxy instead of the caller's, which are
 * forwarded unchanged if the proxy records no spans.
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
 * Returns the headers of the proxy's own call for a caller: the caller's credentials, and those
 * that the proxy adds to every call. Brokers that trust the proxy thus also count wrong credentials
 * here by the caller's address.
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
 * Returns the headers that the proxy adds to every call for a caller. `Via`, `Forwarded` and
 * `X-Forwarded-*` name the origin of the call; values of earlier proxies are first, and are not
 * verified.
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

/** Returns the headers with which a broker's answer is forwarded to the caller. */
export function responseHeadersOf(
  rawHeaders: RawHeaders,
  connection: string | undefined,
  via: string | undefined,
): string[] {
  const passed = withoutNames(rawHeaders, dropsOfResponses, connection);
  passed.push('via', appended(via, viaName));
  return passed;
}

/** Returns the caller's id of its call, if it can be forwarded and logged. */
export function callerRequestId(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === 'string' && /^[\w.:-]{1,128}$/.test(value) ? value : undefined;
}

/** Removes headers by name; those listed in `Connection` are hop-by-hop as well. */
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

/** Returns a node as in RFC 7239 section 6: IPv6 addresses in brackets, and so in quotes. */
function forwardedNode(ip: string): string {
  return ip.includes(':') ? `"[${ip}]"` : ip;
}
