import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { QuireError } from '@quire/core';
import { errorBodyOf } from './error-reply.ts';

const reasonPhrases: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  408: 'Request Timeout',
  405: 'Method Not Allowed',
  431: 'Request Header Fields Too Large',
  501: 'Not Implemented',
};

/**
 * Answers requests that the HTTP parser rejected: too large a head, too slow a client, or not HTTP.
 */
export function replyToClientError(
  error: Error & { readonly code?: string; readonly rawPacket?: unknown },
  socket: Socket,
  isBusy: boolean,
): void {
  // Within another response, this one would be mistaken for a part of it.
  if (error.code === 'ECONNRESET' || !socket.writable || isBusy) {
    socket.destroy();
    return;
  }
  if (isHttp2(error)) socket.end(goAway);
  else writeError(socket, parserError(error));
}

/**
 * Reports whether rejected bytes are the preface with which clients start HTTP/2 without
 * negotiation (RFC 9113 section 3.4).
 */
function isHttp2({ rawPacket }: { readonly rawPacket?: unknown }): boolean {
  return (
    Buffer.isBuffer(rawPacket) && rawPacket.subarray(0, 14).toString('latin1') === 'PRI * HTTP/2.0'
  );
}

/**
 * An answer that such a client understands: empty SETTINGS, and GOAWAY with HTTP_1_1_REQUIRED and a
 * reason (RFC 9113 sections 6.5 and 6.8).
 */
const goAway = ((): Buffer => {
  const reason = Buffer.from('This server supports only HTTP/1.1.');
  const settings = [0, 0, 0, 4, 0, 0, 0, 0, 0];
  const lastStreamAndCode = [0, 0, 0, 0, 0, 0, 0, 0x0d];
  return Buffer.from([
    ...settings,
    0,
    0,
    lastStreamAndCode.length + reason.length,
    7,
    0,
    0,
    0,
    0,
    0,
    ...lastStreamAndCode,
    ...reason,
  ]);
})();

/** Writes an error in the usual shape to a connection without a response object, and closes it. */
export function writeError(socket: Duplex, error: QuireError): void {
  const body = errorBodyOf(error, '');
  const json = JSON.stringify(body);
  const head = [
    `HTTP/1.1 ${body.code} ${reasonPhrases[body.code] ?? 'Bad Request'}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(json)}`,
    'cache-control: no-store',
    'connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${json}`);
}

function parserError({
  code,
  message,
}: {
  readonly code?: string;
  readonly message: string;
}): QuireError {
  if (code === 'HPE_HEADER_OVERFLOW') {
    return new QuireError('HEADERS_TOO_LARGE', 'The request headers are too large.');
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return new QuireError('REQUEST_TIMED_OUT', 'The request was sent too slowly.');
  }
  // The parser uses the same code for a body with two declared lengths, which is an attempt to
  // smuggle a request.
  const isAmbiguous = message.includes('Content-Length');
  if (code === 'HPE_INVALID_TRANSFER_ENCODING' && !isAmbiguous) return unknownTransferEncoding();
  return new QuireError('INVALID_PARAMETER', 'This is not an HTTP/1.1 request.');
}

/**
 * Returns the error for a request whose body has another transfer encoding than chunked (RFC 9112
 * section 6.1).
 */
export function unknownTransferEncoding(): QuireError {
  return new QuireError('UNSUPPORTED', 'The Transfer-Encoding is not supported; expected chunked.');
}
