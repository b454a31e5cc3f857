/**
 * Two processes on one directory: each stores results of its own, and reads those of the other.
 *
 *     node shared-directory.ts /var/lib/results broker-a store 1000     prints the id of a result
 *     node shared-directory.ts /var/lib/results broker-b read <id>      prints its last row
 */
import { isRequestId } from '@quire/core';
import { ResultStore } from '@quire/results';
import { FileObjectStore } from '@quire/store-file';
import { tableFromArrays } from 'apache-arrow';

const [directory = '', brokerId = '', verb, argument = ''] = process.argv.slice(2);
const hour = 3_600_000;
await using store = await FileObjectStore.open({ root: directory });
// Each has a broker id of its own, and `isShared`: `open`, `delete` and `renew` then find the
// results of the others.
await using results = new ResultStore({
  store,
  brokerId,
  expirationMs: hour,
  expirationMaxMs: 24 * hour,
  isShared: true,
});

if (verb === 'store') {
  const table = tableFromArrays({ n: Int32Array.from({ length: Number(argument) }, (_, n) => n) });
  const batches = (async function* () {
    yield* table.batches;
  })();
  const { entry } = await results.create({ schema: table.schema, batches }, { owner: brokerId });
  process.stdout.write(`${entry.requestId}\n`);
} else if (isRequestId(argument)) {
  const result = await results.open(argument);
  const page = result.page({ offset: result.entry.rowCount - 1, rowCount: 1 });
  for await (const bytes of page.encode('json')) process.stdout.write(bytes);
} else {
  process.stderr.write(`${argument} is not the id of a result.\n`);
  process.exitCode = 1;
}
