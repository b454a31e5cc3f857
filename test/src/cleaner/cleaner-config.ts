import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ObjectStore } from '@quire/core';
import { type S3Server, s3SettingsOf } from '../testkit/servers/s3-server.ts';

export const MB = 1024 * 1024;

/** A settings file that is replaced atomically, for a daemon that sweeps every second. */
async function writeConfig(directory: string, lines: readonly string[]): Promise<string> {
  const path = join(directory, 'q.properties');
  const all = [
    'engine.log.format = json',
    'controller.cluster.pagination.cleaner.initialDelay = 0s',
    'controller.cluster.pagination.cleaner.frequencyPeriod = 1s',
    ...lines,
  ];
  await writeFile(`${path}.new`, `${all.join('\n')}\n`);
  await rename(`${path}.new`, path);
  return path;
}

/** Settings of a store in `<directory>/results`. */
export function writeFileConfig(directory: string, lines: readonly string[] = []): Promise<string> {
  const place = [
    'engine.broker.pagination.protocol = file',
    'engine.broker.pagination.file.data.dir = results',
  ];
  return writeConfig(directory, [...place, ...lines]);
}

/** Settings of a store on a server that speaks S3. */
export function writeS3Config(
  directory: string,
  options: ReturnType<S3Server['storeOptions']>,
  lines: readonly string[] = [],
): Promise<string> {
  const place = Object.entries(s3SettingsOf(options)).map(([key, value]) => `${key} = ${value}`);
  return writeConfig(directory, [...place, ...lines]);
}

export function quota(megabytes: number): string[] {
  return [
    `engine.broker.pagination.file.enableStorageCleaner = true`,
    `engine.broker.pagination.file.maxStoragePerBrokerMB = ${megabytes}`,
  ];
}

/** Bytes of everything under a broker's prefix, as a listing shows it. */
export async function usageOf(store: ObjectStore, brokerId: string): Promise<number> {
  let usageBytes = 0;
  for await (const { sizeBytes } of store.list(`${brokerId}/`)) usageBytes += sizeBytes;
  return usageBytes;
}
