/**
 * Runs the example of config/cluster: two brokers, a proxy, a controller and a cleaner, each in a
 * separate process, until Ctrl-C. Results are in one directory that all of them can access.
 *
 *     npm run cluster
 *     npm run cluster -- --s3 local                a local S3 server, from `npm run s3-server`
 *     npm run cluster -- --s3 s3://bucket/prefix   a bucket, with the credentials of this machine
 *
 * `--any-ports` takes free ports instead of those of the settings, and `--data DIR` another
 * directory for results and logs than .quire/cluster.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Cluster } from './cluster/cluster.ts';
import { freePorts } from './cluster/cluster-ports.ts';
import { parseClusterStore } from './cluster/cluster-store.ts';
import { renderCluster } from './cluster/render-cluster.ts';

const root = join(import.meta.dirname, '..');
const stop = new Promise<void>((resolve) => {
  // Ctrl-C may arrive twice, from the terminal and from npm.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => resolve());
});

try {
  const { values: options } = parseArgs({
    options: { s3: { type: 'string' }, 'any-ports': { type: 'boolean' }, data: { type: 'string' } },
  });
  await using cluster = new Cluster({
    root,
    ports: options['any-ports'] === true ? await freePorts() : undefined,
    dataFolder: options.data ?? join(root, '.quire/cluster'),
    store: parseClusterStore(options.s3, root),
    onUnexpectedEnd: (message) => console.error(message),
  });
  if (await Promise.race([cluster.start().then(() => true), stop.then(() => false)])) {
    console.log(renderCluster(cluster.members, cluster.logFolder));
    await stop;
  }
  console.log('Stopping: running calls may finish.');
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
