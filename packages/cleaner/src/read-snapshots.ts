import type { CallOptions, ObjectEntry, ObjectStore } from '@quire/core';
import { isBrokerId, listResultFolders } from '@quire/results';
import { BrokerSnapshot } from './broker-snapshot.ts';
import type { SkippableResults } from './remembered-results.ts';

/** Options of `readSnapshots`. */
export interface ReadSnapshotsOptions extends CallOptions {
  /**
   * The results that are already known. Their folders need not be listed if the store can skip
   * them.
   */
  readonly skippable?: SkippableResults | undefined;
}

/**
 * Returns a snapshot of each broker under a prefix (empty: all brokers) from one listing; opens no
 * object.
 *
 * A broker is included if at least one object under its name belongs to a result: a directory with
 * other files is not a broker.
 */
export async function readSnapshots(
  store: ObjectStore,
  prefix: string,
  { signal, skippable }: ReadSnapshotsOptions = {},
): Promise<Map<string, BrokerSnapshot>> {
  const snapshots = new Map<string, BrokerSnapshot>();
  const snapshotOf = (brokerId: string): BrokerSnapshot => {
    let snapshot = snapshots.get(brokerId);
    if (snapshot === undefined) snapshots.set(brokerId, (snapshot = new BrokerSnapshot(brokerId)));
    return snapshot;
  };
  const foreignBytes = new Map<string, number>();
  /** The folders, by broker and id, that contain a foreign object. */
  const foreignFolders = new Set<string>();
  const onForeign = ({ key, sizeBytes }: ObjectEntry): void => {
    const [name = '', folder, ...rest] = key.split('/');
    if (!isBrokerId(name) || folder === undefined) return;
    foreignBytes.set(name, (foreignBytes.get(name) ?? 0) + sizeBytes);
    if (rest.length > 0) foreignFolders.add(`${name}/${folder}`);
  };
  const skipsFolder = skippable && ((folder: string): boolean => skippable.skipsFolder(folder));
  for await (const folder of listResultFolders(store, prefix, { signal, skipsFolder, onForeign })) {
    const snapshot = snapshotOf(folder.brokerId);
    skippable?.carryOver(snapshot, folder.requestId);
    snapshot.add(folder);
  }
  for (const brokerId of skippable?.brokerIds ?? []) {
    skippable?.carryOver(snapshotOf(brokerId));
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
