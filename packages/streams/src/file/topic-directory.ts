import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isMissingFile } from '@quire/core/process';
import { streamInvalid } from '../stream-errors.ts';
import { isTopicName } from '../topic-name.ts';
import { findLineEnd, parseSegmentName, type SegmentFile, withFile } from './segment-file.ts';

/** A segment, and the end of its complete lines. */
export interface Segment extends SegmentFile {
  /** Distinguishes a file from another one with the same name. */
  readonly inode: number;
  /** Offset after its last complete line. */
  readonly endOffset: number;
}

/** A partition's segments, in order; there is at least one. */
export type Segments = readonly [Segment, ...Segment[]];

/** The directory of one topic: its partitions, and their current ends. */
export class TopicDirectory {
  readonly path: string;
  readonly topic: string;
  /** The ends of the lines of files at the last check. */
  readonly #ends = new Map<string, { readonly inode: number; readonly end: number }>();

  /**
   * Creates a directory. @throws STREAM_INVALID when the topic's name cannot be a directory name
   */
  constructor(root: string, topic: string) {
    if (!isTopicName(topic)) {
      throw streamInvalid(
        `${JSON.stringify(topic)} cannot name a topic: expected up to 249 letters, digits, dots, underscores and hyphens.`,
      );
    }
    this.topic = topic;
    this.path = join(root, topic);
  }

  get description(): string {
    return `file topic ${this.topic}`;
  }

  /**
   * Returns the files of all partitions, or of one, by partition and offset. @throws STREAM_INVALID
   * when the topic does not exist
   */
  async list(partition?: number): Promise<readonly SegmentFile[]> {
    const files = (await this.#readNames())
      .map((name) => parseSegmentName(this.path, name))
      .filter((file) => file !== undefined)
      .filter((file) => partition === undefined || file.partition === partition);
    return files.toSorted(
      (one, other) => one.partition - other.partition || one.baseOffset - other.baseOffset,
    );
  }

  /** Returns every partition's segments, in ascending order of the partitions. */
  async readAll(): Promise<readonly Segments[]> {
    const byPartition = Map.groupBy(await this.list(), ({ partition }) => partition);
    const all: Segments[] = [];
    for (const files of byPartition.values()) {
      const segments = await this.#readSegments(files);
      if (segments !== undefined) all.push(segments);
    }
    return all;
  }

  /**
   * Returns one partition's segments. @throws STREAM_INVALID when the topic or partition does not
   * exist
   */
  async read(partition: number): Promise<Segments> {
    const segments = await this.#readSegments(await this.list(partition));
    if (segments === undefined) {
      throw streamInvalid(`${this.description} has no partition ${partition}.`);
    }
    return segments;
  }

  async #readNames(): Promise<string[]> {
    try {
      return await readdir(this.path);
    } catch (error) {
      if (!isMissingFile(error)) throw error;
      throw streamInvalid(`There is no ${this.description}: its directory is missing.`, error);
    }
  }

  async #readSegments(files: readonly SegmentFile[]): Promise<Segments | undefined> {
    const segments: Segment[] = [];
    for (const file of files) {
      const segment = await this.#readSegment(file);
      if (segment !== undefined) segments.push(segment);
    }
    const [first, ...rest] = segments;
    return first === undefined ? undefined : [first, ...rest];
  }

  /**
   * Reads a segment; undefined if the file was deleted after it was listed, for example by
   * retention.
   */
  async #readSegment(file: SegmentFile): Promise<Segment | undefined> {
    try {
      const { ino: inode, size } = await stat(file.path);
      const known = this.#ends.get(file.path);
      const knownEnd = known?.inode === inode && known.end <= size ? known.end : 0;
      // Bytes after the end are read again: an incomplete line may have been replaced by a complete
      // one of the same length.
      const end =
        knownEnd === size
          ? size
          : await withFile(file.path, 'r', (open) => findLineEnd(open, size, knownEnd));
      this.#ends.set(file.path, { inode, end });
      return { ...file, inode, endOffset: file.baseOffset + end };
    } catch (error) {
      if (isMissingFile(error)) return undefined;
      throw error;
    }
  }
}
