/**
 * Appends batches to the topic `orders` of a directory until it is killed, and prints the number of
 * each written batch.
 */
import { FileProducer } from '@quire/streams';

const [directory = '', who = ''] = process.argv.slice(2);
const pad = 'x'.repeat(20_000);
await using producer = await FileProducer.open({ directory, topic: 'orders' });
for (let batch = 0; ; batch += 1) {
  const rows = Array.from({ length: 50 }, (_, n) => ({ who, batch, n, pad }));
  await producer.append(
    rows.map((row) => ({ key: null, value: Buffer.from(JSON.stringify(row)) })),
  );
  process.stdout.write(`${batch}\n`);
}
