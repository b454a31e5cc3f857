import type { CallOptions, ObjectEntry, ObjectStore } from '@quire/core';
import { isBrokerId, listResultFolders } from '@quire/results';
import { BrokerSnapshot } from './broker-snapshot.ts';
import type { Recollection } from './remembered-results.ts';

/** Options of `readSnapshots`. */
export interface ReadSnapshotsOptions extends CallOptions {
  /** What is known already, and so not looked at where the store can pass over it. */
  readonly recollection?: Recollection | undefined;
}

/**
 * What a store holds of each broker under a prefix (empty: all brokers), from one listing; opens no
 * object.
 *
 * A broker shows when at least one object under its name is ours: a directory of other things is
 * not a broker.
 */
export async function readSnapshots(
  store: ObjectStore,
  prefix: string,
  { signal, recollection }: ReadSnapshotsOptions = {},
): Promise<Map<string, BrokerSnapshot>> {
  const snapshots = new Map<string, BrokerSnapshot>();
  const snapshotOf = (brokerId: string): BrokerSnapshot => {
    let snapshot = snapshots.get(brokerId);
    if (snapshot === undefined) snapshots.set(brokerId, (snapshot = new BrokerSnapshot(brokerId)));
    return snapshot;
  };
  const foreignBytes = new Map<string, number>();
  /** Folders, by broker and id, in which something lies that is not ours. */
  const foreignFolders = new Set<string>();
  const onForeign = ({ key, sizeBytes }: ObjectEntry): void => {
    const [name = '', folder, ...rest] = key.split('/');
    if (!isBrokerId(name) || folder === undefined) return;
    foreignBytes.set(name, (foreignBytes.get(name) ?? 0) + sizeBytes);
    if (rest.length > 0) foreignFolders.add(`${name}/${folder}`);
  };
  const skipsFolder =
    recollection && ((folder: string): boolean => recollection.skipsFolder(folder));
  for await (const folder of listResultFolders(store, prefix, { signal, skipsFolder, onForeign })) {
    const snapshot = snapshotOf(folder.brokerId);
    recollection?.carryOver(snapshot, folder.requestId);
    snapshot.add(folder);
  }
  for (const brokerId of recollection?.brokerIds ?? []) {
    recollection?.carryOver(snapshotOf(brokerId));
  }
  for (const [brokerId, sizeBytes] of foreignBytes) snapshots.get(brokerId)?.addForeign(sizeBytes);
  for (const folder of foreignFolders) {
    const [brokerId = '', requestId = ''] = folder.split('/');
    const snapshot = snapshots.get(brokerId);
    const index = snapshot?.find(requestId) ?? -1;
    if (index !== -1) snapshot?.unsettle(index);
  }
  return snapshots;
}
