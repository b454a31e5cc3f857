import { once } from 'node:events';
import { KafkaServer } from '../testkit/servers/kafka-server.ts';
import { PinotServer } from '../testkit/servers/pinot-server.ts';
import { kafkaServer, pinotServer } from '../testkit/toolchain.ts';

/** Starts what the suites of this folder share, as far as it is there, writes its addresses, and ends it when standard input ends. */
const [pinotFolder, kafkaJars] = [pinotServer.find(process.env), kafkaServer.find(process.env)];
const inputEnded = once(process.stdin.resume(), 'end');
// At once: every run of all tests waits for both.
const [startedKafka, startedPinot] = await Promise.all([
  kafkaJars === undefined ? undefined : KafkaServer.start(kafkaJars),
  pinotFolder === undefined ? undefined : PinotServer.start(pinotFolder),
]);
await using kafka = startedKafka;
await using pinot = startedPinot;
process.stdout.write(`${JSON.stringify({ pinot: pinot?.address ?? null, kafkaPort: kafka?.process.port ?? null })}\n`);
await inputEnded;
