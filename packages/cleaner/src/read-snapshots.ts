import type { CallOptions, ObjectEntry, ObjectStore } from '@quire/core';
import { isBrokerId, listResultFolders } from '@quire/results';
import { BrokerSnapshot } from './broker-snapshot.ts';

/**
 * What a store holds of each broker under a prefix (empty: all brokers), from one listing; opens no object.
 *
 * A broker shows when at least one object under its name is ours: a directory of other things is not a broker.
 */
export async function readSnapshots(
  store: ObjectStore,
  prefix: string,
  options: CallOptions = {},
): Promise<Map<string, BrokerSnapshot>> {
  const snapshots = new Map<string, BrokerSnapshot>();
  const foreignBytes = new Map<string, number>();
  const onForeign = ({ key, sizeBytes }: ObjectEntry): void => {
    const separator = key.indexOf('/');
    const name = key.slice(0, Math.max(0, separator));
    if (isBrokerId(name)) foreignBytes.set(name, (foreignBytes.get(name) ?? 0) + sizeBytes);
  };
  for await (const folder of listResultFolders(store, prefix, { ...options, onForeign })) {
    let snapshot = snapshots.get(folder.brokerId);
    if (snapshot === undefined) snapshots.set(folder.brokerId, (snapshot = new BrokerSnapshot(folder.brokerId)));
    snapshot.add(folder);
  }
  for (const [brokerId, sizeBytes] of foreignBytes) snapshots.get(brokerId)?.addForeign(sizeBytes);
  return snapshots;
}
