import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ownerTagOf, type RequestId } from '@quire/core';
import { ownerTag } from '@quire/results';
import { countingJson } from '../testkit/builders/counting-rows.ts';
import { compileCacheOf } from '../testkit/cli-process.ts';
import { describeWithTool } from '../testkit/toolchain.ts';
import { earlierReleases } from '../../../scripts/releases.ts';
import { installedRelease } from './installed-release.ts';
import type { PublishedPackages } from './published-packages.ts';

const program = 'upgrade-broker.js';

/** A broker of some release in a process of its own: it answers one line with one line. */
class UpgradeBroker implements AsyncDisposable {
  readonly #child;
  readonly #answers;

  constructor(folder: string, store: string, brokerId: string) {
    const args = [join(folder, program), store, brokerId];
    this.#child = spawn(process.execPath, args, {
      cwd: folder,
      env: { NODE_COMPILE_CACHE: compileCacheOf(folder) },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
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

/**
 * Tests brokers of this release and of earlier ones on one folder of results, each installed from
 * its tarballs.
 */
export function describeRollingUpgrade(publishedOf: () => PublishedPackages): void {
  for (const release of earlierReleases()) {
    describeWithTool(
      installedRelease(release),
      `share a store with ${release.what}`,
      (installed) => {
        let older: UpgradeBroker;
        let newer: UpgradeBroker;

        const storeOf = (): string =>
          join(publishedOf().folder, 'stores', release.version ?? 'first');

        beforeAll(async () => {
          const { folder } = publishedOf();
          const store = storeOf();
          await mkdir(store, { recursive: true });
          await copyFile(join(folder, program), join(installed, program));
          older = new UpgradeBroker(installed, store, 'older');
          newer = new UpgradeBroker(folder, store, 'newer');
        });

        afterAll(async () => {
          await older[Symbol.asyncDispose]();
          await newer[Symbol.asyncDispose]();
        });

        test('the older release keeps the owner tags of this one, also when it takes its place', async () => {
          const id = (await newer.ask('create')) as RequestId;
          expect(ownerTagOf(id)).toBe(ownerTag('ana'));
          await using rolledBack = new UpgradeBroker(installed, storeOf(), 'newer');
          expect(await rolledBack.ask('list')).toEqual([id]);
          expect(await rolledBack.ask('expire', '0')).toBe(0);
          const expirationTimeMs = await rolledBack.ask('renew', id);
          expect(await newer.ask('expiration', id)).toBe(expirationTimeMs);
          expect(await newer.ask('list')).toEqual([id]);
          expect(await rolledBack.ask('page', id)).toBe(countingJson(4990, 4995));
          expect(await rolledBack.ask('expire', '100000000')).toBe(1);
          expect(await newer.ask('list')).toEqual([]);
        });

        test('a result of the older release has no owner tag, and is read, renewed and expired as any other', async () => {
          const ids = (await Promise.all(
            Array.from({ length: 8 }, () => older.ask('create')),
          )) as RequestId[];
          // Each of them matches a tag by chance with a probability of 1 / 64.
          expect(ids.filter((id) => ownerTagOf(id) === undefined).length).toBeGreaterThan(0);
          await using upgraded = new UpgradeBroker(publishedOf().folder, storeOf(), 'older');
          for (const id of ids) expect(await upgraded.ask('renew', id)).toBeTypeOf('number');
          expect(await upgraded.ask('expire', '0')).toBe(0);
          expect(await upgraded.ask('list')).toEqual(ids.toSorted());
          expect(await upgraded.ask('expire', '100000000')).toBe(8);
          expect(await older.ask('list')).toEqual([]);
        });

        describe.each([
          ['this release', () => [newer, older] as const],
          ['the older release', () => [older, newer] as const],
        ])('%s', (name, brokers) => {
          test(`${name} reads, renews and deletes what the other has stored, and this release notices what the other does`, async () => {
            const [own, other] = brokers();
            const id = (await other.ask('create')) as string;
            expect(await own.ask('page', id)).toBe(countingJson(4990, 4995));
            const expirationTimeMs = await own.ask('renew', id);
            expect(expirationTimeMs).toBeTypeOf('number');
            expect(await newer.ask('expiration', id)).toBe(expirationTimeMs);
            expect(await other.ask('page', id)).toBe(countingJson(4990, 4995));
            expect(await own.ask('delete', id)).toBe(id);
            expect(await newer.ask('page', id)).toEqual({
              error: expect.stringMatching(/^RESULT_(?:DELETED|NOT_FOUND)$/),
            });
          });
        });
      },
    );
  }
}
