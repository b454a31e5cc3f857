/**
 * A host with its own copy of apache-arrow, as ES modules and as CommonJS: stores rows created with
 * it, and prints them.
 */
import { createRequire } from 'node:module';
import { ResultStore } from '@quire/results';
import { MemoryObjectStore } from '@quire/core/memory';
import type * as Arrow from 'apache-arrow';

async function jsonOf({
  Field,
  Schema,
  Table,
  vectorFromArray,
  ...types
}: typeof Arrow): Promise<string> {
  const columns: [string, Arrow.DataType, readonly unknown[]][] = [
    ['i', new types.Int32(), [1, null, -3]],
    ['l', new types.Int64(), [2n ** 63n - 1n, null, 0n]],
    ['d', new types.Float64(), [0.1, null, Number.NaN]],
    ['s', new types.Utf8(), ['größer', null, '']],
    ['k', new types.Dictionary(new types.Utf8(), new types.Int32()), ['red', null, 'red']],
    ['t', new types.TimestampMillisecond(), [1_700_000_000_123, null, 0]],
    ['a', new types.List(new Field('item', new types.Int32(), true)), [[1, null], null, []]],
  ];
  const schema = new Schema(columns.map(([name, type]) => new Field(name, type, true)));
  const vectors = columns.map(
    ([name, type, values]) => [name, vectorFromArray(values, type)] as const,
  );
  const { batches } = new Table(Object.fromEntries(vectors) as never);

  const store = new MemoryObjectStore({ sizeMaxBytes: 1_000_000 });
  await using results = new ResultStore({
    store,
    brokerId: 'host',
    expirationMs: 60_000,
    expirationMaxMs: 60_000,
  });
  const { entry } = await results.create(
    { schema, batches: ReadableStream.from(batches) },
    { owner: 'host' },
  );
  const result = await results.open(entry.requestId);
  const chunks = await Array.fromAsync(result.page({ offset: 0, rowCount: 3 }).encode('json'));
  return Buffer.concat(chunks).toString();
}

const require = createRequire(import.meta.url);
const imported = await jsonOf(await import('apache-arrow'));
const required = await jsonOf(require('apache-arrow') as typeof Arrow);
process.stdout.write(
  `${JSON.stringify({ path: require.resolve('apache-arrow'), imported, required })}\n`,
);
