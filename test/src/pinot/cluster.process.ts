import { once } from 'node:events';
import { KafkaServer } from '../testkit/servers/kafka-server.ts';
import { PinotServer } from '../testkit/servers/pinot-server.ts';
import { kafkaServer, pinotServer } from '../testkit/toolchain.ts';

/** Starts what the suites of this folder share, as far as it is there, writes its addresses, and ends it when standard input ends. */
const [pinotFolder, kafkaJars] = [pinotServer.find(process.env), kafkaServer.find(process.env)];
const inputEnded = once(process.stdin.resume(), 'end');
await using kafka = kafkaJars === undefined ? undefined : await KafkaServer.start(kafkaJars);
await using pinot = pinotFolder === undefined ? undefined : await PinotServer.start(pinotFolder);
process.stdout.write(`${JSON.stringify({ pinot: pinot?.address ?? null, kafkaPort: kafka?.process.port ?? null })}\n`);
await inputEnded;
