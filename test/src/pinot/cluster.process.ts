import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { KafkaServer } from '../testkit/servers/kafka-server.ts';
import { PinotServer } from '../testkit/servers/pinot-server.ts';
import { kafkaServer, pinotServer } from '../testkit/toolchain.ts';
import type { SharedServers } from './global-setup.ts';

/**
 * Starts the installed servers that the suites of this folder share on the first connection to the
 * port that it writes, and sends the addresses to each client. All of it ends when standard input
 * ends.
 */
await using started = new AsyncDisposableStack();

async function start(): Promise<SharedServers> {
  const [pinotFolder, kafkaJars] = [pinotServer.find(process.env), kafkaServer.find(process.env)];
  const [kafka, pinot] = await Promise.all([
    kafkaJars === undefined ? undefined : KafkaServer.start(kafkaJars),
    pinotFolder === undefined ? undefined : PinotServer.start(pinotFolder),
  ]);
  if (kafka !== undefined) started.use(kafka);
  if (pinot !== undefined) started.use(pinot);
  return { pinot: pinot?.address ?? null, kafkaPort: kafka?.process.port ?? null };
}

let servers: Promise<SharedServers> | undefined;
const listener = createServer((socket) => {
  servers ??= start();
  // A client that has disconnected has no more requests.
  socket.on('error', () => undefined);
  void servers.then((addresses) => socket.end(JSON.stringify(addresses)));
});
const inputEnded = once(process.stdin.resume(), 'end');
await once(listener.listen(0, '127.0.0.1'), 'listening');
process.stdout.write(`${(listener.address() as AddressInfo).port}\n`);
await inputEnded;
listener.close();
await servers;
