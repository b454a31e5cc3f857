/**
 * A broker of any release that shares a folder of results with others: executes each line of its
 * input, and answers each.
 */
import { createInterface } from 'node:readline';
import { ResultStore } from '@quire/results';
import { FileObjectStore } from '@quire/store-file';
import { Field, Int32, makeData, RecordBatch, Schema, Struct } from 'apache-arrow';

const [root = '', brokerId = ''] = process.argv.slice(2);
const times = { expirationMs: 3_600_000, expirationMaxMs: 86_400_000, stalenessMaxMs: 0 };
const store = await FileObjectStore.open({ root });
await using results = new ResultStore({ store, brokerId, isShared: true, ...times });

/** The numbers from 0 to 4,999. */
async function* batches(schema: Schema): AsyncGenerator<RecordBatch> {
  const data = Int32Array.from({ length: 5000 }, (_, index) => index);
  const column = makeData({ type: new Int32(), length: 5000, nullCount: 0, data });
  yield new RecordBatch(
    schema,
    makeData({ type: new Struct(schema.fields), length: 5000, nullCount: 0, children: [column] }),
  );
}

async function perform(action: string, id: string): Promise<unknown> {
  if (action === 'renew') return (await results.renew(id, 7_200_000)).expirationTimeMs;
  if (action === 'expire') return results.deleteExpired(Date.now() + Number(id));
  if (action === 'list') {
    return (await Array.fromAsync(results.list())).map(({ requestId }) => requestId);
  }
  if (action === 'delete') return (await results.delete(id)).requestId;
  if (action === 'expiration') return (await results.open(id)).entry.expirationTimeMs;
  if (action === 'page') {
    const page = (await results.open(id)).page({ offset: 4990, rowCount: 5 });
    return Buffer.concat(await Array.fromAsync(page.encode('json'))).toString();
  }
  const schema = new Schema([new Field('n', new Int32(), false)]);
  return (await results.create({ schema, batches: batches(schema) }, { owner: 'ana' })).entry
    .requestId;
}

for await (const line of createInterface({ input: process.stdin })) {
  const [action = '', id = ''] = line.split(' ');
  const answer = await perform(action, id).catch((error: unknown) => ({
    error: (error as { readonly code?: string }).code,
  }));
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
