import type { Socket } from 'node:net';
import { QuireError } from '@quire/core';
import { errorBodyOf } from './error-reply.ts';

const reasonPhrases: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  408: 'Request Timeout',
  431: 'Request Header Fields Too Large',
};

/** Answers what the HTTP parser could not make a call of: too large a head, too slow a client, no HTTP at all. */
export function replyToClientError(error: Error & { readonly code?: string }, socket: Socket, isBusy: boolean): void {
  // In the middle of another response this one would be taken for a part of it.
  if (error.code === 'ECONNRESET' || !socket.writable || isBusy) {
    socket.destroy();
    return;
  }
  const body = errorBodyOf(parserError(error), '');
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

function parserError({ code }: { readonly code?: string }): QuireError {
  if (code === 'HPE_HEADER_OVERFLOW') return new QuireError('HEADERS_TOO_LARGE', 'The head of the request is too large.');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new QuireError('REQUEST_TIMED_OUT', 'The request arrives too slowly.');
  return new QuireError('INVALID_PARAMETER', 'This is not an HTTP/1.1 request.');
}
