/**
 * Makes the archives of loaded classes from which Apache Kafka and Apache Pinot start in two thirds
 * of the processor time: each starts once, and writes its archive when it ends.
 */
import { mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { kafkaServer, pinotServer } from '../toolchain.ts';
import { archiveFolder, type ClassArchive } from './class-archive.ts';
import { KafkaServer } from './kafka-server.ts';
import { PinotServer } from './pinot-server.ts';

const [kafkaJars, pinotFolder] = [kafkaServer.find(process.env), pinotServer.find(process.env)];
await mkdir(archiveFolder, { recursive: true });
if (kafkaJars !== undefined) {
  await make('kafka', (archive) => KafkaServer.start(kafkaJars, archive));
}
if (pinotFolder !== undefined) {
  await make('pinot', (archive) => PinotServer.start(pinotFolder, { archive }));
}

/** Renames a complete archive only: a JVM crashes on one that is cut off. */
async function make(
  program: string,
  start: (archive: ClassArchive) => Promise<KafkaServer | PinotServer>,
): Promise<void> {
  const path = join(archiveFolder, `${program}.jsa`);
  await using server = await start({ write: `${path}.new` });
  await server.process.stop();
  await rename(`${path}.new`, path);
  console.log(`${program}: its classes are in an archive.`);
}
