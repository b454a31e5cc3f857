import { type BigIntStats, statSync } from 'node:fs';
import { open, utimes } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { QuireError, throwIfAborted } from '@quire/core';
import { parseTableName } from '@quire/core/table-engine';
import { isErrno, isMissingFile } from '@quire/core/process';

/** A file of rows, with the size and checksum that were written. */
export interface WrittenFile {
  readonly path: string;
  readonly sizeBytes: number;
  /** CRC-32 of its bytes, in decimal digits. */
  readonly checksum: string;
}

/** A file of rows of a segment. */
export interface SegmentFile extends WrittenFile {
  readonly segmentName: string;
}

/** The errors of the system for a file that exists and cannot be read. */
const unreadable = ['EACCES', 'EPERM', 'EIO', 'ELOOP', 'ENXIO'] as const;

/** The size of one read. */
const chunkBytes = 1024 * 1024;

/** The modification time that a damaged file is given. No other file has this time. */
const damagedTime = new Date(0);

export interface VerifyOptions {
  readonly signal?: AbortSignal | undefined;
  /**
   * Called with the size of each piece that was read; the next one is read once it has resolved.
   */
  readonly onRead?: ((byteCount: number) => Promise<void> | void) | undefined;
}

/**
 * Returns what identifies the content of a file by its metadata, so that a replaced or changed file
 * differs; undefined if the file does not exist or cannot be inspected.
 */
export function identityOf(path: string): string | undefined {
  const found = look(path);
  return found && `${found.ino} ${found.size} ${found.mtimeNs} ${found.ctimeNs}`;
}

/** Reports whether a file was marked as damaged before. */
export function isMarkedDamaged(path: string): boolean {
  return look(path)?.mtimeNs === BigInt(damagedTime.getTime());
}

function look(path: string): BigIntStats | undefined {
  try {
    return statSync(path, { bigint: true, throwIfNoEntry: false });
  } catch (error) {
    if (isErrno(error, ...unreadable)) return undefined;
    throw error;
  }
}

/**
 * Reads a whole file and returns the difference from its recorded size and checksum, as a sentence
 * without its subject; undefined if there is none.
 *
 * A damaged file gets the oldest modification time, which changes its identity. So every process
 * that has verified it before reads it again.
 */
export async function findDamage(
  { path, sizeBytes, checksum }: WrittenFile,
  options: VerifyOptions = {},
): Promise<string | undefined> {
  for (;;) {
    const identity = identityOf(path);
    const problem = await compare({ path, sizeBytes, checksum }, options);
    // A file that was replaced during the read is read again: it may be intact now.
    if (identityOf(path) !== identity) continue;
    if (problem !== undefined) await markDamaged(path);
    return problem;
  }
}

/**
 * @throws TABLE_DAMAGED when a file of a segment does not have the size or checksum that was
 * written
 */
export async function assertWhole(
  file: WrittenFile,
  { segmentName, tableName, ...options }: VerifyOptions & SegmentName,
): Promise<void> {
  const problem = await findDamage(file, options);
  if (problem !== undefined) throw segmentDamaged({ segmentName, tableName }, problem);
}

export interface SegmentName {
  readonly segmentName: string;
  /** The name with its type; undefined if unknown. */
  readonly tableName: string | undefined;
}

/** Describes the damage of a segment, and what to do about it. */
export function describeDamage(tableName: string | undefined, problem: string): string {
  const isOfStream = tableName !== undefined && parseTableName(tableName).type === 'REALTIME';
  const help = isOfStream
    ? 'Delete the segment: if it is consuming, its messages are consumed again; otherwise rebuild the table from its stream (restream).'
    : 'Delete the segment, and load its rows again.';
  return `The file of this segment${tableName === undefined ? '' : ` of ${tableName}`} ${problem}. ${help}`;
}

/** @param problem what is wrong with the file of the segment, as a sentence without its subject */
export function segmentDamaged(
  { segmentName, tableName }: SegmentName,
  problem: string,
): QuireError {
  const message = `The table is damaged: ${segmentName}. ${describeDamage(tableName, problem)}`;
  return new QuireError('TABLE_DAMAGED', message);
}

async function compare(
  { path, sizeBytes, checksum }: WrittenFile,
  { signal, onRead }: VerifyOptions,
): Promise<string | undefined> {
  try {
    const handle = await open(path);
    try {
      const { size } = await handle.stat();
      if (size !== sizeBytes) return `has ${size} bytes, but ${sizeBytes} were written`;
      const buffer = Buffer.allocUnsafe(Math.min(chunkBytes, sizeBytes));
      let [position, found] = [0, 0];
      while (position < sizeBytes) {
        throwIfAborted(signal);
        const { bytesRead } = await handle.read(buffer, 0, buffer.byteLength, position);
        if (bytesRead === 0) return `ends after ${position} bytes, but ${sizeBytes} were written`;
        found = crc32(buffer.subarray(0, bytesRead), found);
        position += bytesRead;
        await onRead?.(bytesRead);
      }
      return String(found) === checksum
        ? undefined
        : `has the checksum ${found}; expected ${checksum}`;
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (isMissingFile(error)) return 'is missing';
    if (isErrno(error, 'EISDIR')) return 'is a directory';
    if (!isErrno(error, ...unreadable)) throw error;
    return `cannot be read (${(error as NodeJS.ErrnoException).code})`;
  }
}

/**
 * Marks a file as damaged. If that is not possible, other processes detect the damage when they
 * read it.
 */
async function markDamaged(path: string): Promise<void> {
  if (isMarkedDamaged(path)) return;
  try {
    await utimes(path, damagedTime, damagedTime);
  } catch (error) {
    if (!isErrno(error, ...unreadable, 'EROFS', 'ENOENT', 'ENOTDIR', 'ENOSPC', 'EDQUOT')) {
      throw error;
    }
  }
}
