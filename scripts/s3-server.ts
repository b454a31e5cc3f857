/**
 * Installs the S3 server of the tests and examples, versitygw, into .cache/s3-server, and prints
 * its path. It is built by Go from the module that package.json names (`config.s3Server`).
 *
 *     npm run s3-server
 *
 * `QUIRE_S3_FOLDER` is another folder than .cache/s3-server.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const folder = process.env['QUIRE_S3_FOLDER'] ?? join(root, '.cache/s3-server');
const path = join(folder, 'versitygw');
const { config } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly config: { readonly s3Server: string };
};

if (!existsSync(path)) {
  console.error(`Building ${config.s3Server} …`);
  const { error, status } = spawnSync('go', ['install', config.s3Server], {
    env: { ...process.env, GOBIN: folder },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (error !== undefined) {
    console.error(
      `The S3 server is built by Go, which did not start (${error.message}). Install Go 1.26 or later from https://go.dev/dl.`,
    );
  }
  process.exitCode = status ?? 1;
}
if (existsSync(path)) console.log(path);
