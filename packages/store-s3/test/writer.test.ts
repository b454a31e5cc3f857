import { S3Client } from '@aws-sdk/client-s3';
import { ManualClock, SeededRandom } from '@quire/core/testing';
import { expect, test } from 'vitest';
import { S3ObjectStore } from '../src/index.ts';

const mebibyte = 1024 * 1024;
const answers: Readonly<Record<string, object>> = {
  CreateMultipartUploadCommand: { UploadId: 'upload' },
  HeadObjectCommand: { ContentLength: 6 * mebibyte, LastModified: new Date(5000) },
};

/** A clock that skips all delays. */
class ImpatientClock extends ManualClock {
  override sleep(): Promise<void> {
    return Promise.resolve();
  }
}

/** Opens a store whose server refuses these commands once. */
async function openStore(refused: Set<string>, commands: string[]): Promise<S3ObjectStore> {
  const client = new S3Client({ region: 'eu-central-1' });
  client.middlewareStack.add(
    (_next, { commandName = '' }) =>
      async () => {
        commands.push(commandName);
        if (refused.delete(commandName)) {
          const $metadata = { httpStatusCode: 503 };
          throw Object.assign(new Error('Slow down.'), { name: 'SlowDown', $metadata });
        }
        return { output: answers[commandName] ?? {}, response: undefined } as never;
      },
    { step: 'initialize' },
  );
  return S3ObjectStore.open({
    location: 's3://results',
    client,
    partBytes: 5 * mebibyte,
    clock: new ImpatientClock(),
    random: new SeededRandom(1),
  });
}

test('a put from a source survives a refusal of each of its requests, because the source cannot be read again', async () => {
  const refused = new Set<string>();
  const commands: string[] = [];
  await using store = await openStore(refused, commands);
  commands.length = 0;
  for (const each of [
    'CreateMultipartUpload',
    'UploadPart',
    'CompleteMultipartUpload',
    'HeadObject',
  ]) {
    refused.add(`${each}Command`);
  }
  const source = (async function* () {
    yield new Uint8Array(6 * mebibyte);
  })();
  expect(await store.put('a', source)).toEqual({
    key: 'a',
    sizeBytes: 6 * mebibyte,
    lastModifiedMs: 5000,
  });
  expect(refused).toEqual(new Set());
  expect(commands.filter((name) => name.startsWith('Abort'))).toEqual([]);
});
