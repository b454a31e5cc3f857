import { expect, vi } from 'vitest';
import type { KafkaTopic } from './kafka-topic.ts';
import type { QuireOnPinot } from './quire-on-pinot.ts';
import { patience } from '../testkit/until.ts';

const schema = {
  schemaName: 'rivers',
  dimensionFieldSpecs: [{ name: 'id', dataType: 'LONG' }],
  dateTimeFieldSpecs: [
    { name: 'ts', dataType: 'LONG', format: 'EPOCH|MILLISECONDS|1', granularity: 'MILLISECONDS|1' },
  ],
};

/** The path of restream calls about the table `rivers`. */
export const restreamPath = '/tables/rivers_REALTIME/restream';

/**
 * The table `rivers` of 100 messages of a topic, to be rebuilt while a part of the system is lost.
 */
export async function makeRivers(
  quire: QuireOnPinot,
  topic: KafkaTopic,
  tenants: object,
): Promise<void> {
  await topic.append(
    0,
    Array.from({ length: 100 }, (_, id) => ({ id, ts: 1_767_225_600_000 + id })),
  );
  expect(await quire.tell('POST', '/schemas', schema)).toMatchObject({ status: 200 });
  const made = await quire.tell('POST', '/tables', {
    tableName: 'rivers_REALTIME',
    tableType: 'REALTIME',
    segmentsConfig: { timeColumnName: 'ts', replication: '1' },
    tenants,
    ingestionConfig: { streamIngestionConfig: { streamConfigMaps: [topic.streamConfig] } },
  });
  expect(made).toMatchObject({ status: 200 });
}

/** Resolves once its restream, or that at another path, is DONE. */
export async function untilRestreamed(
  quire: QuireOnPinot,
  timeout = patience.timeout,
  path = restreamPath,
): Promise<void> {
  await vi.waitFor(
    async () => {
      const { body } = await quire.tell('GET', path);
      expect(body).toMatchObject({ stage: expect.stringMatching(/^(?:DONE|FAILED)$/) });
    },
    { ...patience, timeout },
  );
  const { body } = await quire.tell('GET', path);
  const { stage, error } = body as { readonly stage: string; readonly error: unknown };
  expect(`${stage}, ${JSON.stringify(error)}`).toBe('DONE, null');
}
