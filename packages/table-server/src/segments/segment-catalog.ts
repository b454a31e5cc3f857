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

/** A change of the committed segments: what goes and what comes appears in one moment. */
export interface SegmentChange {
  /** Names of segments that go. */
  readonly remove?: readonly string[];
  /** Why they go, for the log; given with `remove`. */
  readonly reason?: string;
  readonly add?: readonly SegmentRecord[];
  /** How far partitions are committed with it. */
  readonly checkpoints?: readonly Checkpoint[];
}

export interface SegmentCatalogParts {
  readonly directory: TableDirectory;
  readonly records: Records;
  readonly clock: Clock;
}

/**
 * The committed segments of one table. Changes come one after the other, each durable and atomic.
 */
export class SegmentCatalog {
  readonly #record: RecordFile;
  readonly #parts: SegmentCatalogParts;
  #manifest: Manifest;
  /** Retired files that are no longer there; the next change forgets them. */
  readonly #gone = new Set<string>();
  readonly #changes = new Slots(1);

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

  /** @throws RECORD_DAMAGED when there is no manifest, or it is not the newest of this table */
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

  /** As it is on disk. */
  get manifest(): Manifest {
    return this.#manifest;
  }

  /**
   * Notes that retired files are no longer there. It needs no write: the next change leaves them
   * out.
   */
  forgetRetired(files: readonly string[]): void {
    for (const file of files) this.#gone.add(file);
  }

  /**
   * Changes the set of segments; what the change is may depend on the set as it is when its turn
   * comes.
   *
   * @throws SEGMENT_NOT_FOUND when one that is to go is not there; CONFLICT when one that comes is
   * there and does not go. Nothing has changed then.
   */
  change(change: SegmentChange | ((manifest: Manifest) => SegmentChange)): Promise<void> {
    return this.#changes.run(async () =>
      this.#apply(typeof change === 'function' ? change(this.#manifest) : change),
    );
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
 * Returns the manifest that a table of an earlier release has without its record: such tables got
 * one with their first segment.
 *
 * @param names the files in the directory of the table's data
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
