import { type Clock, QuireError } from '@quire/core';
import { Slots } from '@quire/core/wait';
import { recordDamaged, type RecordFile, type Records } from '../directory/records.ts';
import { namesIn, type TableDirectory } from '../directory/table-directory.ts';
import {
  type Checkpoint,
  emptyManifest,
  type Manifest,
  manifestOf,
  type RetiredFile,
  type SegmentRecord,
} from './manifest.ts';

/** A change of the committed segments. Removals and additions become visible at the same moment. */
export interface SegmentChange {
  /** Names of the segments to remove. */
  readonly remove?: readonly string[];
  /** The reason for the removal, for the log; given with `remove`. */
  readonly reason?: string;
  readonly add?: readonly SegmentRecord[];
  /** The checkpoints of partitions that are committed with it. */
  readonly checkpoints?: readonly Checkpoint[];
}

export interface SegmentCatalogParts {
  readonly directory: TableDirectory;
  readonly records: Records;
  readonly clock: Clock;
}

/** The committed segments of one table. Changes run one after another, each durable and atomic. */
export class SegmentCatalog {
  readonly #record: RecordFile;
  readonly #parts: SegmentCatalogParts;
  #manifest: Manifest;
  /** Retired files that no longer exist; the next change drops them. */
  readonly #gone = new Set<string>();
  readonly #changes = new Slots(1);
  #closedFor: QuireError | undefined;

  private constructor(record: RecordFile, parts: SegmentCatalogParts, manifest: Manifest) {
    this.#record = record;
    this.#parts = parts;
    this.#manifest = manifest;
  }

  /** Writes the first, empty manifest of a table. */
  static async create(tableId: string, parts: SegmentCatalogParts): Promise<SegmentCatalog> {
    const record = parts.directory.manifest(tableId);
    await parts.records.replace(record, emptyManifest);
    return new SegmentCatalog(record, parts, emptyManifest);
  }

  /** @throws RECORD_DAMAGED when there is no manifest, or it is not the newest one of this table */
  static async open(
    tableId: string,
    parts: SegmentCatalogParts,
    { isOfEarlierRelease }: { readonly isOfEarlierRelease: boolean },
  ): Promise<SegmentCatalog> {
    const { directory, records } = parts;
    const record = directory.manifest(tableId);
    const content = await records.read<Partial<Manifest>>(record);
    if (content !== undefined) {
      return new SegmentCatalog(record, parts, manifestOf(record, content));
    }
    missingManifest(record, { isOfEarlierRelease, names: await namesIn(directory.data(tableId)) });
    return SegmentCatalog.create(tableId, parts);
  }

  /** The current manifest, which is on disk. */
  get manifest(): Manifest {
    return this.#manifest;
  }

  /** Records that retired files no longer exist, without a write: the next change drops them. */
  forgetRetired(files: readonly string[]): void {
    for (const file of files) this.#gone.add(file);
  }

  /**
   * Changes the set of segments. If the change is a function, it is called with the manifest after
   * all earlier changes.
   *
   * @throws SEGMENT_NOT_FOUND when a segment to remove does not exist; CONFLICT when one to add
   *   exists and is not removed; the error of `close`. Nothing has changed then.
   */
  change(change: SegmentChange | ((manifest: Manifest) => SegmentChange)): Promise<void> {
    return this.#changes.run(async () => {
      this.assertOpen();
      await this.#apply(typeof change === 'function' ? change(this.#manifest) : change);
    });
  }

  /**
   * Refuses later changes with an error, because the manifest is no longer that of a table, or has
   * another writer. Resolves once the earlier ones have ended.
   */
  close(error: QuireError): Promise<void> {
    return this.#changes.run(async () => {
      this.#closedFor = error;
    });
  }

  /** @throws the error of `close` */
  assertOpen(): void {
    if (this.#closedFor !== undefined) throw this.#closedFor;
  }

  async #apply({
    remove = [],
    reason = 'removed',
    add = [],
    checkpoints = [],
  }: SegmentChange): Promise<void> {
    const { segments: before, checkpoints: committed, retired } = this.#manifest;
    const leaving = new Set(remove);
    for (const name of leaving) {
      if (before.some(({ segmentName }) => segmentName === name)) continue;
      throw new QuireError('SEGMENT_NOT_FOUND', `Segment ${name} does not exist.`);
    }
    const staying = before.filter(({ segmentName }) => !leaving.has(segmentName));
    const names = new Set(staying.map(({ segmentName }) => segmentName));
    for (const { segmentName } of add) {
      if (names.has(segmentName)) {
        throw new QuireError('CONFLICT', `Segment ${segmentName} exists already.`);
      }
    }
    const retiredMs = this.#parts.clock.nowMs();
    const leftFiles = before
      .filter(({ segmentName }) => leaving.has(segmentName))
      .map(({ file, segmentName }): RetiredFile => ({
        file,
        retiredMs,
        reason: `segment ${segmentName} was ${reason}`,
      }));
    const next: Manifest = {
      segments: [...staying, ...add].toSorted((left, right) =>
        left.segmentName < right.segmentName ? -1 : 1,
      ),
      checkpoints: [
        ...committed.filter(
          ({ partition }) => !checkpoints.some((each) => each.partition === partition),
        ),
        ...checkpoints,
      ],
      retired: [...retired.filter(({ file }) => !this.#gone.has(file)), ...leftFiles],
    };
    await this.#parts.records.replace(this.#record, next);
    this.#manifest = next;
  }
}

/**
 * Returns an empty manifest for a table of an earlier release that has no record of one: such
 * tables got one with their first segment.
 *
 * @param names the files in the data directory of the table
 * @throws RECORD_DAMAGED for any other table
 */
export function missingManifest(
  record: RecordFile,
  {
    isOfEarlierRelease,
    names,
  }: { readonly isOfEarlierRelease: boolean; readonly names: readonly string[] },
): Manifest {
  const hasSegmentFile = names.some(
    (name) => name.endsWith('.parquet') && !name.includes('.chunk.'),
  );
  if (isOfEarlierRelease && !hasSegmentFile) return emptyManifest;
  throw recordDamaged(record, 'is missing');
}
