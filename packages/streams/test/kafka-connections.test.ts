import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import type { ClusterMetadata } from '@platformatic/kafka';
import { expect, test } from 'vitest';
import { KafkaConnections } from '../src/kafka/kafka-connections.ts';

test('a stream of Kafka that is closed does not connect for a fetch that had its metadata before', async () => {
  let connectedCount = 0;
  const server = createServer(() => (connectedCount += 1)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const broker = { host: '127.0.0.1', port: (server.address() as AddressInfo).port };
  const connections = new KafkaConnections({
    brokers: [broker],
    tls: undefined,
    sasl: undefined,
    isCommittedOnly: false,
  });
  const metadata = { brokers: new Map([[1, broker]]) } as unknown as ClusterMetadata;
  await connections[Symbol.asyncDispose]();
  const fetched = connections.fetching(
    { metadata, nodeId: 1, partition: 0 },
    undefined,
    async () => 'messages',
  );
  await expect(fetched).rejects.toThrow(
    expect.objectContaining({ errors: [new Error('The stream is closed.')] }),
  );
  expect(connectedCount).toBe(0);
  server.close();
});
