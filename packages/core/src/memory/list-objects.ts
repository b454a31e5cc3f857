import { throwIfAborted } from '../errors.ts';
import type { ListOptions } from '../object-store.ts';
import { yieldToEventLoop } from '../wait/time-slice.ts';
import type { SortedObjects, StoredObject } from './sorted-objects.ts';

/** After this many entries others get a turn: a long listing must not hold up the process. */
const entriesPerTurn = 1000;

/** The objects of a prefix in key order, whatever is put or deleted meanwhile. */
export async function* listObjects(
  objects: SortedObjects,
  prefix: string,
  options: ListOptions = {},
): AsyncGenerator<StoredObject> {
  const { after, signal, skipsFolder } = options;
  let folder = '';
  let isSkipped = false;
  throwIfAborted(signal);
  let index = objects.firstIndexFrom(prefix);
  if (after !== undefined) index = Math.max(index, objects.firstIndexAfter(after));
  for (let count = 1; ; count += 1) {
    const object = objects.at(index);
    if (object === undefined || !object.key.startsWith(prefix)) return;
    if (skipsFolder !== undefined) {
      const folderLength = object.key.lastIndexOf('/') + 1;
      if (folderLength !== folder.length || !object.key.startsWith(folder)) {
        folder = object.key.slice(0, folderLength);
        isSkipped = folderLength > prefix.length && skipsFolder(folder);
      }
    }
    if (!isSkipped) yield object;
    if (count % entriesPerTurn === 0) await yieldToEventLoop();
    throwIfAborted(signal);
    // What was put or deleted meanwhile may have moved the keys: look the place up again then.
    index = objects.at(index)?.key === object.key ? index + 1 : objects.firstIndexAfter(object.key);
  }
}
