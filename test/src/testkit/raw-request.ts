import { connect } from 'node:net';

/** The responses of a server on one connection. */
export interface RawAnswer {
  readonly status: number;
  /** In lower case. */
  readonly head: string;
  readonly body: string;
  /** The number of responses. */
  readonly count: number;
}

/** Sends bytes as they are and reads until the server closes. */
export function sendRaw(
  { host, port }: { readonly host: string; readonly port: number },
  bytes: string,
): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, host);
    let text = '';
    socket.on('data', (chunk) => (text += chunk.toString('latin1')));
    socket.on('close', () => {
      const [head = '', ...body] = text.split('\r\n\r\n');
      const count = text.match(/HTTP\/1\.1 \d{3}/g)?.length ?? 0;
      resolve({
        status: Number(head.slice(9, 12)),
        head: head.toLowerCase(),
        body: body.join('\r\n\r\n'),
        count,
      });
    });
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ECONNRESET' && error.code !== 'EPIPE') reject(error);
    });
    socket.write(bytes, 'latin1');
  });
}
