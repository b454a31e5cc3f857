/**
 * Runs the example of config/cluster: two brokers on one bucket, a proxy, a controller and a cleaner, each in a process of its own,
 * until Ctrl-C.
 *
 *     npm run cluster -- --s3-server .cache/s3-server/versitygw
 *
 * starts a local S3 server too; without it, the settings must name one that runs. `--any-ports` takes free ports instead of those
 * of the settings, and `--data DIR` another folder for data and logs than .quire/cluster.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Cluster } from './cluster/cluster.ts';
import { freePorts } from './cluster/cluster-ports.ts';
import { renderCluster } from './cluster/render-cluster.ts';

const root = join(import.meta.dirname, '..');
const { values: options } = parseArgs({
  options: { 's3-server': { type: 'string' }, 'any-ports': { type: 'boolean' }, data: { type: 'string' } },
});

const stop = new Promise<void>((resolve) => {
  // Ctrl-C may come twice, from the terminal and from npm.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => resolve());
});

try {
  await using cluster = new Cluster({
    root,
    ports: options['any-ports'] === true ? await freePorts() : undefined,
    dataFolder: options.data ?? join(root, '.quire/cluster'),
    s3ServerPath: options['s3-server'],
    onUnexpectedEnd: (message) => console.error(message),
  });
  if (await Promise.race([cluster.start().then(() => true), stop.then(() => false)])) {
    console.log(renderCluster(cluster.members, cluster.logFolder));
    await stop;
  }
  console.log('Stopping: calls under way may finish.');
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
