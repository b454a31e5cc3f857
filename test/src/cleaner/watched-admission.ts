import assert from 'node:assert/strict';
import { type AdmissionCleaner, StorageAdmission } from '@quire/cleaner';
import { isQuireError, ownerTagOf, type RequestId } from '@quire/core';
import type { SpaceReservation } from '@quire/results';
import type { World } from './cleaner-world.ts';

/** An admission whose every answer is checked against the rules. */
export class WatchedAdmission extends StorageAdmission {
  /** The last sweep that a waiting write requested. */
  sweeping: Promise<unknown> = Promise.resolve();
  readonly #world: World;

  constructor(world: World) {
    super({ clock: world.clock });
    this.#world = world;
  }

  override attach(cleaner: AdmissionCleaner): void {
    super.attach({ ...cleaner, sweep: () => (this.sweeping = cleaner.sweep()) });
  }

  override reserve(requestId: RequestId): SpaceReservation {
    const room = super.reserve(requestId);
    const ownerTag = ownerTagOf(requestId);
    let heldBytes = 0;
    const extend: SpaceReservation['extend'] = (bytes, options) => {
      this.#world.noteDemand(bytes, ownerTag);
      const expectRoom = (): void => {
        heldBytes += bytes;
        const { policy } = this;
        if (policy === undefined) return;
        assert.ok(
          this.usage.totalBytes <= policy.quotaBytes,
          `usage is ${this.usage.totalBytes} after a grant`,
        );
        assert.ok(heldBytes <= policy.criticalBytes, 'a result that could not stay goes on');
        const share = policy.shareOf(ownerTag);
        if (share === undefined) return;
        const usageBytes = this.usage.totalBytesOf(ownerTag);
        assert.ok(
          usageBytes <= share.quotaBytes,
          `usage of a share is ${usageBytes} after a grant`,
        );
        assert.ok(
          heldBytes <= share.criticalBytes,
          'a result that could not stay in its share goes on',
        );
      };
      const waiting = room.extend(bytes, options);
      if (waiting === undefined) {
        expectRoom();
        return undefined;
      }
      return waiting.then(expectRoom, async (error: unknown) => {
        if (isQuireError(error, 'QUERY_LIMIT_EXCEEDED')) {
          await this.#expectNoRoom(ownerTag, heldBytes, bytes);
        }
        throw error;
      });
    };
    return { ...room, extend };
  }

  /**
   * A refused write would not have fitted even after everything had been deleted that may be
   * deleted, in the quota or in the share of its owner.
   */
  async #expectNoRoom(
    ownerTag: number | undefined,
    heldBytes: number,
    bytes: number,
  ): Promise<void> {
    const { policy } = this;
    if (policy === undefined) return;
    const writtenBytes = this.usage.totalBytes - this.usage.storedBytes;
    const ownWrittenBytes = this.usage.totalBytesOf(ownerTag) - this.usage.owners.bytesOf(ownerTag);
    const { liveBytes, liveBytesOf, isTidy } = await this.#world.look();
    // Debris occupies space that no eviction frees; and while calls fail, there is no guarantee.
    if (!isTidy) return;
    const neededBytes = heldBytes + bytes;
    const share = policy.shareOf(ownerTag);
    const limits = [
      { policy, liveBytes, writtenBytes },
      ...(share === undefined
        ? []
        : [{ policy: share, liveBytes: liveBytesOf(ownerTag), writtenBytes: ownWrittenBytes }]),
    ];
    const words = `a result of ${neededBytes} bytes was refused, with ${liveBytes} live and ${writtenBytes} being written`;
    assert.ok(
      limits.some((limit) => neededBytes > limit.policy.guaranteedBytes),
      `${words}, though its size is guaranteed`,
    );
    // A write beyond that size may have given way to the claims of others, or could not stay under
    // a quota that has become smaller.
    const hasRoom = limits.every(
      ({ policy: { quotaBytes, criticalBytes, targetBytes }, ...bytesOf }) => {
        const isAlone = bytesOf.writtenBytes === heldBytes && neededBytes <= criticalBytes;
        return isAlone && Math.min(bytesOf.liveBytes, targetBytes) + neededBytes <= quotaBytes;
      },
    );
    assert.ok(!hasRoom, words);
  }
}
