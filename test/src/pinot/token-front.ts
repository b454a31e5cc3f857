import { once } from 'node:events';
import { request as sendRequest } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { generate } from 'selfsigned';

/**
 * An HTTPS server in front of a part of Apache Pinot, as in clusters that accept tokens: it
 * requires `Bearer …`, and forwards calls with the credentials of the part behind it.
 */
export interface TokenFront extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  /** Its self-signed certificate for 127.0.0.1. */
  readonly authority: string;
  /** The token that it accepts from now on. */
  token: string;
  /** The number of calls that it refused. */
  refusedCount: number;
}

export async function startTokenFront(
  target: string,
  { token, authorization }: Record<'token' | 'authorization', string>,
): Promise<TokenFront> {
  const altNames = [{ type: 7 as const, ip: '127.0.0.1' }];
  const extensions = [{ name: 'subjectAltName' as const, altNames }];
  const { cert, private: key } = await generate([{ name: 'commonName', value: 'front' }], {
    keyType: 'ec',
    extensions,
  });
  const server = createServer({ cert, key }, (request, response) => {
    if (request.headers.authorization !== `Bearer ${front.token}`) {
      front.refusedCount += 1;
      request.resume();
      response.writeHead(401).end();
      return;
    }
    const { method, headers } = request;
    const outgoing = sendRequest(new URL(request.url ?? '', target), {
      method,
      headers: { ...headers, authorization },
    });
    outgoing.on('error', () => response.destroy());
    response.on('close', () => outgoing.destroy());
    outgoing.on('response', (incoming) => {
      response.writeHead(incoming.statusCode ?? 502, incoming.headers);
      incoming.pipe(response);
    });
    request.pipe(outgoing);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const front: TokenFront = {
    url: `https://127.0.0.1:${port}`,
    port,
    authority: cert,
    token,
    refusedCount: 0,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return front;
}
