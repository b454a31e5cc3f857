/**
 * Builds the image with buildah, without Docker and without a registry: the stages of the
 * Dockerfile are replaced by what this repository has built, by a base of Debian packages and by
 * the npm package `node`.
 *
 *     npm run image                           to the store of buildah, as localhost/quire:<version>
 *     npm run image -- oci-archive:quire.tar  to a file, which docker load and podman load read
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { readManifest } from '../../scripts/pack-packages.ts';
import { writeImageFiles } from './image-files.ts';

const root = join(import.meta.dirname, '../..');

/** The inputs and the name of an image build. */
export interface ImageBuild {
  /** The folder of prepared files, and of buildah's own storage if its arguments name it. */
  readonly workFolder: string;
  /** The root directory of the base image. */
  readonly baseFolder: string;
  /** As buildah names it: `quire`, or `oci-archive:FILE`. */
  readonly tag: string;
  /** Arguments before the subcommand of buildah, such as another storage for images. */
  readonly buildahArgs?: readonly string[];
}

/** Writes the files of the image and builds it from them. The packages must be built. */
export async function buildImage(build: ImageBuild): Promise<void> {
  const { workFolder, baseFolder, tag, buildahArgs = [] } = build;
  await writeImageFiles(join(workFolder, 'packages/image'));
  const programs = join(workFolder, 'node/usr');
  rmSync(programs, { recursive: true, force: true });
  for (const each of ['bin', 'local/bin']) mkdirSync(join(programs, each), { recursive: true });
  copyFileSync(join(baseFolder, 'usr/bin/tini-static'), join(programs, 'bin/tini-static'));
  copyFileSync(join(root, 'node_modules/node/bin/node'), join(programs, 'local/bin/node'));
  const run = (...args: readonly string[]): string =>
    execFileSync('buildah', [...buildahArgs, ...args], { encoding: 'utf8' }).trim();
  const base = run('from', 'scratch');
  try {
    run('add', '--quiet', base, baseFolder, '/');
    run('commit', '--quiet', base, 'quire-base');
  } finally {
    run('rm', base);
  }
  run(
    'build',
    '--isolation=chroot',
    '--pull=never',
    '--quiet',
    '--format=docker', // OCI images have no health check
    `--build-context=packages=${join(workFolder, 'packages')}`,
    `--build-context=node=${join(workFolder, 'node')}`,
    '--build-context=gcr.io/distroless/cc-debian12=container-image://localhost/quire-base',
    `--tag=${tag}`,
    `--file=${join(root, 'Dockerfile')}`,
    join(workFolder, 'node'),
  );
}

if (import.meta.main) {
  const { version } = readManifest(join(root, 'packages/cli'));
  const tag = process.argv[2] ?? `quire:${version}`;
  const workFolder = join(root, '.cache/image');
  await buildImage({ workFolder, baseFolder: join(root, '.cache/image-base/root'), tag });
  console.log(`built ${tag}`);
}
