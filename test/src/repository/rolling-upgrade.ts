import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir } from 'node:fs/promises';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { countingJson } from '../testkit/builders/counting-rows.ts';
import { describeWithTool, type Tool } from '../testkit/toolchain.ts';
import type { PublishedPackages } from './published-packages.ts';

const root = join(import.meta.dirname, '../../..');
const program = 'upgrade-broker.js';

interface Release {
  readonly ref: string;
  readonly what: string;
}

/** Earlier releases, as `scripts/pack-release.ts` builds and installs them. */
const releases = JSON.parse(readFileSync(join(root, 'test/releases.json'), 'utf8')) as readonly Release[];

/** A project with the packages of an earlier release. */
function installedRelease({ ref }: Release): Tool {
  const folder = join(root, '.cache/releases', ref);
  return {
    name: `the packages of ${ref}`,
    remedy: `run node scripts/pack-release.ts ${ref} in a clone that has it`,
    find: () => (existsSync(folder) ? folder : undefined),
    isOptional: !isInClone(ref),
  };
}

/** A shallow clone has the newest commit only. */
function isInClone(ref: string): boolean {
  return spawnSync('git', ['-C', root, 'cat-file', '-e', `${ref}^{commit}`]).status === 0;
}

/** A broker of some release in a process of its own: it answers one line with one line. */
class UpgradeBroker implements AsyncDisposable {
  readonly #child;
  readonly #answers;

  constructor(folder: string, store: string, brokerId: string) {
    const args = [join(folder, program), store, brokerId];
    this.#child = spawn(process.execPath, args, { cwd: folder, env: {}, stdio: ['pipe', 'pipe', 'inherit'] });
    this.#answers = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
  }

  async ask(action: string, id = ''): Promise<unknown> {
    this.#child.stdin.write(`${action} ${id}\n`);
    const { done, value } = await this.#answers.next();
    if (done === true) throw new Error(`The broker ended before it answered: ${action} ${id}`);
    return JSON.parse(value);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#child, 'close');
    this.#child.stdin.end();
    await closed;
  }
}

/** What brokers of this release and of earlier ones do on one folder of results, each installed from its tarballs. */
export function describeRollingUpgrade(publishedOf: () => PublishedPackages): void {
  for (const release of releases) {
    describeWithTool(installedRelease(release), `share a store with ${release.ref}, ${release.what}`, (installed) => {
      let older: UpgradeBroker;
      let newer: UpgradeBroker;

      beforeAll(async () => {
        const { folder } = publishedOf();
        const store = join(folder, 'stores', release.ref);
        await mkdir(store, { recursive: true });
        await copyFile(join(folder, program), join(installed, program));
        older = new UpgradeBroker(installed, store, 'older');
        newer = new UpgradeBroker(folder, store, 'newer');
      });

      afterAll(async () => {
        await older[Symbol.asyncDispose]();
        await newer[Symbol.asyncDispose]();
      });

      describe.each([
        ['this release', () => [newer, older] as const],
        ['the older release', () => [older, newer] as const],
      ])('%s', (_name, brokers) => {
        test('reads, renews and deletes what the other has stored, and this release notices what the other does', async () => {
          const [own, other] = brokers();
          const id = (await other.ask('create')) as string;
          expect(await own.ask('page', id)).toBe(countingJson(4990, 4995));
          const expirationTimeMs = await own.ask('renew', id);
          expect(expirationTimeMs).toBeTypeOf('number');
          expect(await newer.ask('expiration', id)).toBe(expirationTimeMs);
          expect(await other.ask('page', id)).toBe(countingJson(4990, 4995));
          expect(await own.ask('delete', id)).toBe(id);
          expect(await newer.ask('page', id)).toEqual({ error: expect.stringMatching(/^RESULT_(?:DELETED|NOT_FOUND)$/) });
        });
      });
    });
  }
}
