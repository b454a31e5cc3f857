import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { argumentOfParent, serveParent } from '../process/serve-parent.ts';

export interface SlowLinkOptions {
  /**
   * The added latency of every response: the cost of a round trip over the network on open
   * connections.
   */
  readonly latencyMs: number;
  /** The bandwidth of one connection, in either direction; 0 for that of this machine. */
  readonly bytesPerSecond: number;
}

/**
 * The maximum number of bytes in transit in one direction of one connection: more than any link
 * here holds.
 */
const inProgressBytesMax = 32 * 1024 * 1024;

const targetPort = argumentOfParent() as number;
const servers: Server[] = [];

/** Returns the port of a new link to the server. */
serveParent(
  async (request) => {
    const options = request as SlowLinkOptions;
    const server = createServer({ noDelay: true }, (client) => {
      const target = connect({ port: targetPort, host: '127.0.0.1', noDelay: true });
      carry(client, target, { ...options, latencyMs: 0 });
      carry(target, client, options);
    });
    servers.push(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  },
  async () => {
    for (const server of servers) server.close();
  },
);

/** Forwards data in order, with the latency and the bandwidth of the link. */
function carry(from: Socket, to: Socket, { latencyMs, bytesPerSecond }: SlowLinkOptions): void {
  const queue: { readonly dueMs: number; readonly act: () => void }[] = [];
  let inProgressBytes = 0;
  /** The time at which the last received byte has passed the bottleneck. */
  let throughMs = 0;
  const deliver = (): void => {
    for (let next = queue[0]; next !== undefined; next = queue[0]) {
      const delayMs = next.dueMs - performance.now();
      // Timers count whole milliseconds.
      if (delayMs >= 1) {
        setTimeout(deliver, delayMs);
        return;
      }
      queue.shift();
      next.act();
    }
  };
  const enqueue = (sizeBytes: number, act: () => void): void => {
    const transferMs = bytesPerSecond === 0 ? 0 : (sizeBytes * 1000) / bytesPerSecond;
    throughMs = Math.max(throughMs, performance.now()) + transferMs;
    queue.push({ dueMs: throughMs + latencyMs, act });
    if (queue.length === 1) deliver();
  };
  from.on('data', (chunk: Buffer) => {
    inProgressBytes += chunk.byteLength;
    if (inProgressBytes >= inProgressBytesMax) from.pause();
    enqueue(chunk.byteLength, () => {
      inProgressBytes -= chunk.byteLength;
      const isTaken = to.destroyed || to.write(chunk);
      if (!isTaken) from.pause();
      else if (inProgressBytes < inProgressBytesMax) from.resume();
    });
  });
  to.on('drain', () => from.resume());
  from.on('end', () => enqueue(0, () => to.end()));
  from.on('error', () => to.destroy());
  from.on('close', () => enqueue(0, () => to.destroy()));
}
