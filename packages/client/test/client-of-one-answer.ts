import { QuireError } from '@quire/core';
import { QuireClient } from '../src/quire-client.ts';

interface Sent {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** A client whose server answers every request with one response, and the requests so far. */
export function clientOf(
  answer: unknown,
  init?: ResponseInit,
  token: string | undefined = 'secret',
) {
  const sent: Sent[] = [];
  const client = new QuireClient({
    baseUrl: 'http://quire.test/base',
    token,
    retry: { attemptsMax: 1 },
    fetch: (url, request) => {
      const body = request?.body;
      sent.push({
        method: request?.method ?? '',
        url: new Request(url).url,
        headers: Object.fromEntries(new Headers(request?.headers)),
        body: typeof body === 'string' ? JSON.parse(body) : undefined,
      });
      return Promise.resolve(
        new Response(typeof answer === 'string' ? answer : JSON.stringify(answer), init),
      );
    },
  });
  return { client, sent };
}

/** Returns the error that a promise rejects with. */
export function thrownBy(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => {
      throw new Error('Expected a rejection.');
    },
    (reason: unknown) => reason,
  );
}

/** Code and message of the QuireError that a promise rejects with. */
export async function errorOf(
  promise: Promise<unknown>,
): Promise<{ code: string; message: string }> {
  const error = await thrownBy(promise);
  if (!(error instanceof QuireError)) {
    throw new Error(`Expected a QuireError, got ${String(error)}.`);
  }
  return { code: error.code, message: error.message };
}
