import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Below the ports that systems give to outgoing connections and to listeners on port 0 (Linux: from
 * 32768, others from 49152): such a port may go to another process while its server is restarted.
 * Above 10080, the last port that `fetch` and browsers refuse to call.
 */
const [lowest, highest] = [10_081, 32_767];

/**
 * Returns a port of this machine on which no process listens. Until this process ends, no other
 * call returns it, in any process.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = lowest + Math.floor(Math.random() * (highest - lowest + 1));
    if ((await reserve(port)) && (await canListen(port))) return port;
  }
}

/** Reserves a port by a UDP socket of its number, which the system closes with this process. */
async function reserve(port: number): Promise<boolean> {
  const socket = createSocket('udp4').unref();
  socket.bind({ port, address: '127.0.0.1', exclusive: true });
  const isReserved = await hasSucceeded(once(socket, 'listening'));
  if (!isReserved) socket.close();
  return isReserved;
}

async function canListen(port: number): Promise<boolean> {
  const server = createServer().listen({ port, host: '127.0.0.1', exclusive: true });
  if (!(await hasSucceeded(once(server, 'listening')))) return false;
  server.close();
  await once(server, 'close');
  return true;
}

/** An error rejects `once`. */
function hasSucceeded(happening: Promise<unknown>): Promise<boolean> {
  return happening.then(
    () => true,
    () => false,
  );
}
