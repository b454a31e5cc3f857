import { constants } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { crc32 } from 'node:zlib';
import { isErrno } from '@quire/core/process';

/**
 * The length of a line without its checksum: enough for the longest name of a record and the
 * largest number.
 */
const textLength = 246;
/** The text, a space, eight digits and a newline. */
const lineLength = textLength + 10;

/**
 * The last revision of each record of a directory, by file name, in the file `.revisions`. It
 * distinguishes an older copy of a record from the current one, and a missing record from one that
 * never existed.
 *
 * Each record has a line of fixed length, which is overwritten in place after the record was
 * replaced, without a sync. After a crash of the machine a line may be older than its record, but
 * never newer. Only the line of a record that is about to be removed is synced: if the crash
 * brought it back, the record would be missing. A line that is damaged, or was copied from another
 * directory, is ignored.
 */
export class Revisions {
  readonly #folder: string;
  /** The names by line of the file; undefined for free lines. */
  readonly #names: (string | undefined)[];
  readonly #revisions: Map<string, number>;

  /**
   * The number of lines that were damaged, or copied from elsewhere, when the file was read. Older
   * copies of their records are not detected.
   */
  readonly damagedCount: number;

  private constructor(folder: string, lines: readonly ParsedLine[]) {
    this.#folder = folder;
    this.#names = lines.map((line) => (typeof line === 'object' ? line.name : undefined));
    this.#revisions = revisionsOf(lines);
    this.damagedCount = lines.filter((line) => line === 'damaged').length;
  }

  static async open(folder: string): Promise<Revisions> {
    return new Revisions(folder, parseLines(folder, await readBytes(folder)));
  }

  get(name: string): number | undefined {
    return this.#revisions.get(name);
  }

  get names(): readonly string[] {
    return [...this.#revisions.keys()];
  }

  /**
   * Stores the current revision of a record. If the write fails, only this process knows the
   * revision.
   */
  async note(name: string, revision: number): Promise<void> {
    this.#revisions.set(name, revision);
    await this.#write(this.#lineOf(name), { name, revision });
  }

  /** Marks a record as about to be removed, durably. */
  async forget(name: string): Promise<void> {
    if (!this.#revisions.delete(name)) return;
    const index = this.#lineOf(name);
    try {
      await this.#write(index, undefined);
    } finally {
      // Not free before: this write could erase the line of another record.
      this.#names[index] = undefined;
    }
  }

  #lineOf(name: string): number {
    const known = this.#names.indexOf(name);
    if (known >= 0) return known;
    const free = this.#names.indexOf(undefined);
    const index = free < 0 ? this.#names.length : free;
    this.#names[index] = name;
    return index;
  }

  async #write(index: number, line: Line | undefined): Promise<void> {
    const file = await open(
      revisionsPath(this.#folder),
      constants.O_RDWR | constants.O_CREAT,
      0o640,
    );
    try {
      // The line is within one page of the file, so it is written completely or not at all.
      await file.write(encodeLine(this.#folder, line), 0, lineLength, index * lineLength);
      if (line === undefined) await file.sync();
    } finally {
      await file.close();
    }
  }
}

interface Line {
  readonly name: string;
  readonly revision: number;
}

/** Reads the revisions of a directory; any process may do so. */
export async function readRevisions(folder: string): Promise<ReadonlyMap<string, number>> {
  return revisionsOf(parseLines(folder, await readBytes(folder)));
}

type ParsedLine = Line | 'free' | 'damaged';

function revisionsOf(lines: readonly ParsedLine[]): Map<string, number> {
  return new Map(
    lines.flatMap((line) => (typeof line === 'object' ? [[line.name, line.revision]] : [])),
  );
}

function parseLines(folder: string, bytes: Buffer): readonly ParsedLine[] {
  return Array.from({ length: Math.ceil(bytes.byteLength / lineLength) }, (_, index) => {
    const line = bytes.toString('latin1', index * lineLength, (index + 1) * lineLength);
    const text = line.slice(0, textLength);
    if (line.slice(textLength) !== ` ${checksumOf(folder, text)}\n`) return 'damaged';
    const [name = '', revision] = text.trimEnd().split('\t');
    return name === '' ? 'free' : { name, revision: Number(revision) };
  });
}

function encodeLine(folder: string, line: Line | undefined): Buffer {
  const text = (line === undefined ? '' : `${line.name}\t${line.revision}`).padEnd(textLength);
  return Buffer.from(`${text} ${checksumOf(folder, text)}\n`, 'latin1');
}

/** Returns the checksum of a line, which includes the name of the directory. */
function checksumOf(folder: string, text: string): string {
  return crc32(`${basename(folder)}\n${text}`)
    .toString(16)
    .padStart(8, '0');
}

async function readBytes(folder: string): Promise<Buffer> {
  try {
    return await readFile(revisionsPath(folder));
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ENOTDIR', 'EISDIR', 'EACCES', 'EPERM', 'EIO')) {
      return Buffer.alloc(0);
    }
    throw error;
  }
}

/** The name of the revisions file of each directory. */
const revisionsName = '.revisions';

export function revisionsPath(folder: string): string {
  return join(folder, revisionsName);
}
