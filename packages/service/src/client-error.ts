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
 * Answers what the HTTP parser could not make a call of: too large a head, too slow a client, no
 * HTTP at all.
 */
export function replyToClientError(
  error: Error & { readonly code?: string; readonly rawPacket?: unknown },
  socket: Socket,
  isBusy: boolean,
): void {
  // In the middle of another response this one would be taken for a part of it.
  if (error.code === 'ECONNRESET' || !socket.writable || isBusy) {
    socket.destroy();
    return;
  }
  if (isHttp2(error)) socket.end(goAway);
  else writeError(socket, parserError(error));
}

/**
 * Whether what could not be parsed is the preface by which clients begin HTTP/2 without asking (RFC
 * 9113 section 3.4).
 */
function isHttp2({ rawPacket }: { readonly rawPacket?: unknown }): boolean {
  return (
    Buffer.isBuffer(rawPacket) && rawPacket.subarray(0, 14).toString('latin1') === 'PRI * HTTP/2.0'
  );
}

/**
 * What such a client understands: empty SETTINGS, and GOAWAY with HTTP_1_1_REQUIRED and a reason
 * (RFC 9113 sections 6.5 and 6.8).
 */
const goAway = ((): Buffer => {
  const reason = Buffer.from('This server speaks HTTP/1.1.');
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

/**
 * Writes an error to a connection that no response is made for, in the shape of all others, and
 * ends it.
 */
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
    return new QuireError('HEADERS_TOO_LARGE', 'The head of the request is too large.');
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return new QuireError('REQUEST_TIMED_OUT', 'The request arrives too slowly.');
  }
  // The parser gives the same code to a body that is announced in two ways, which is an attempt to
  // smuggle a call.
  const isAmbiguous = message.includes('Content-Length');
  if (code === 'HPE_INVALID_TRANSFER_ENCODING' && !isAmbiguous) return unknownTransferEncoding();
  return new QuireError('INVALID_PARAMETER', 'This is not an HTTP/1.1 request.');
}

/**
 * @returns the error of a request whose body comes in another way than in chunks (RFC 9112 section
 * 6.1)
 */
export function unknownTransferEncoding(): QuireError {
  return new QuireError('UNSUPPORTED', 'The Transfer-Encoding is not supported; expected chunked.');
}
