/**
 * Creates the root directory of a base image from Debian packages, for machines that cannot reach
 * an image registry: the C and C++ libraries, without a shell. It replaces
 * `gcr.io/distroless/cc-debian12`.
 *
 *     node deploy/image/debian-base.ts FOLDER    on Debian, with apt-get and dpkg-deb
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** The libraries of the Node binary, the files that identify the system, and the init process. */
const packages = ['base-files', 'libc6', 'libgcc-s1', 'libstdc++6', 'netbase', 'tini'];

const [folder] = process.argv.slice(2);
if (folder === undefined) {
  console.error('error: expected the folder to write to: node deploy/image/debian-base.ts FOLDER');
  process.exitCode = 1;
} else makeBase(resolve(folder));

function makeBase(folder: string): void {
  const half = `${folder}.new`;
  const downloads = `${folder}.debs`;
  for (const each of [half, downloads]) {
    rmSync(each, { recursive: true, force: true });
    mkdirSync(each, { recursive: true });
  }
  execFileSync('apt-get', ['download', '-qq', '-o', 'APT::Sandbox::User=root', ...packages], {
    cwd: downloads,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  for (const name of readdirSync(downloads)) {
    execFileSync('dpkg-deb', ['-x', join(downloads, name), half]);
  }
  writeFileSync(
    join(half, 'etc/passwd'),
    'root:x:0:0:root:/root:/sbin/nologin\nnonroot:x:65532:65532:nonroot:/:/sbin/nologin\n',
  );
  writeFileSync(join(half, 'etc/group'), 'root:x:0:\nnonroot:x:65532:\n');
  rmSync(downloads, { recursive: true });
  rmSync(folder, { recursive: true, force: true });
  renameSync(half, folder);
}
