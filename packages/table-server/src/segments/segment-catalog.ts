import { type JsonValue, QuireError, type Random } from '@quire/core';
import { Slots } from '@quire/core/wait';
import { readDocument, replaceDocument } from '../directory/documents.ts';
import type { TableDirectory } from '../directory/table-directory.ts';
import { type Checkpoint, emptyManifest, type Manifest, type SegmentRecord } from './manifest.ts';

/** A change of the committed segments: what goes and what comes appears in one moment. */
export interface SegmentChange {
  /** Names of segments that go. */
  readonly remove?: readonly string[];
  readonly add?: readonly SegmentRecord[];
  /** How far partitions are committed with it. */
  readonly checkpoints?: readonly Checkpoint[];
}

async function readManifest(directory: TableDirectory, tableId: string): Promise<Manifest> {
  const document = await readDocument(directory.data(tableId, 'manifest.json'));
  return document === undefined ? emptyManifest : manifestOf(document);
}

/** The committed segments of one table. Changes come one after the other, each durable and atomic. */
export class SegmentCatalog {
  readonly #directory: TableDirectory;
  readonly #tableId: string;
  readonly #random: Random;
  #manifest: Manifest;
  readonly #changes = new Slots(1);

  private constructor(directory: TableDirectory, tableId: string, random: Random, manifest: Manifest) {
    this.#directory = directory;
    this.#tableId = tableId;
    this.#random = random;
    this.#manifest = manifest;
  }

  static async open(directory: TableDirectory, tableId: string, random: Random): Promise<SegmentCatalog> {
    return new SegmentCatalog(directory, tableId, random, await readManifest(directory, tableId));
  }

  /** As it is on disk. */
  get manifest(): Manifest {
    return this.#manifest;
  }

  /**
   * Changes the set of segments; what the change is may depend on the set as it is when its turn comes.
   *
   * @throws SEGMENT_NOT_FOUND when one that is to go is not there; CONFLICT when one that comes is there and does not go. Nothing has
   * changed then.
   */
  change(change: SegmentChange | ((manifest: Manifest) => SegmentChange)): Promise<void> {
    return this.#changes.run(async () => this.#apply(typeof change === 'function' ? change(this.#manifest) : change));
  }

  async #apply({ remove = [], add = [], checkpoints = [] }: SegmentChange): Promise<void> {
    const { version, segments: before, checkpoints: committed } = this.#manifest;
    const leaving = new Set(remove);
    for (const name of leaving) {
      if (before.some(({ segmentName }) => segmentName === name)) continue;
      throw new QuireError('SEGMENT_NOT_FOUND', `Segment ${name} does not exist.`);
    }
    const staying = before.filter(({ segmentName }) => !leaving.has(segmentName));
    const names = new Set(staying.map(({ segmentName }) => segmentName));
    for (const { segmentName } of add) {
      if (names.has(segmentName)) throw new QuireError('CONFLICT', `Segment ${segmentName} exists already.`);
    }
    const next: Manifest = {
      formatVersion: 1,
      version: version + 1,
      segments: [...staying, ...add].toSorted((left, right) => (left.segmentName < right.segmentName ? -1 : 1)),
      checkpoints: [
        ...committed.filter(({ partition }) => !checkpoints.some((each) => each.partition === partition)),
        ...checkpoints,
      ],
    };
    await replaceDocument(this.#directory.data(this.#tableId, 'manifest.json'), next, this.#random);
    this.#manifest = next;
  }
}

/** What this package wrote, and nobody else does. */
function manifestOf(document: JsonValue): Manifest {
  const manifest = document as unknown as Manifest;
  if (manifest.formatVersion === 1) return manifest;
  throw new QuireError('INTERNAL', `A manifest has format ${String(manifest.formatVersion)}; this version reads format 1.`);
}
