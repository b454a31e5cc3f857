import { closeSync, constants, openSync, rmSync, type Stats } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SeededRandom } from '@quire/core/testing';
import { type DiskNode, errnoOf, type FileNode, type SimulatedDisk } from './disk-tree.ts';
import type { SimulatedProcess } from './machine.ts';

/** The simulation has a directory of its own for temporary files. */
const systemTemp = tmpdir();
/** The number of open files of the real system that are locks, by path. */
const lockCounts = new Map<string, number>();

/** The slowness of a disk. */
export interface MountConditions {
  /** The largest latency of a call. */
  latencyMaxMs: number;
}

/**
 * A disk from the view of one process: each call takes time, and takes effect at its end; a process
 * that was killed by then sees neither effect nor answer.
 */
export class Mount {
  readonly disk: SimulatedDisk;
  readonly process: SimulatedProcess;
  readonly #random: SeededRandom;
  readonly #conditions: MountConditions;
  readonly #open = new Set<OpenFile>();

  constructor(options: {
    readonly disk: SimulatedDisk;
    readonly process: SimulatedProcess;
    readonly random: SeededRandom;
    readonly conditions: MountConditions;
  }) {
    this.disk = options.disk;
    this.process = options.process;
    this.#random = options.random;
    this.#conditions = options.conditions;
    this.process.onKilled(() => {
      for (const file of this.#open) file.release();
    });
  }

  async call<T>(act: (disk: SimulatedDisk) => T): Promise<T> {
    await this.process.pause(this.#random.fraction() * this.#conditions.latencyMaxMs);
    return act(this.disk);
  }

  openNow(path: string, flags: string | number): OpenFile {
    const { disk } = this;
    const { isCreating, isExclusive, isTruncating, isAppending } = modeOf(flags);
    const node =
      isCreating && (isExclusive || !disk.has(path)) ? disk.createFile(path) : disk.find(path);
    if (node.kind === 'directory' && isCreating) throw errnoOf('EISDIR', path);
    if (isTruncating && node.kind === 'file') disk.truncate(node);
    if (node.kind === 'file') disk.open(node);
    const start = isAppending && node.kind === 'file' ? node.sizeBytes : 0;
    const file = new OpenFile(this, node, start, (ended) => this.#open.delete(ended));
    this.#open.add(file);
    return file;
  }
}

/** An open file or directory. */
export class OpenFile {
  readonly node: DiskNode;
  readonly mount: Mount;
  readonly #onReleased: (file: OpenFile) => void;
  #position: number;
  #isOpen = true;
  #lock: { readonly fd: number; readonly path: string } | undefined;

  constructor(
    mount: Mount,
    node: DiskNode,
    position: number,
    onReleased: (file: OpenFile) => void,
  ) {
    this.mount = mount;
    this.node = node;
    this.#position = position;
    this.#onReleased = onReleased;
  }

  /**
   * A file of the real system that replaces this one in calls that accept no simulated file: locks.
   */
  get fd(): number {
    const { pid } = process;
    const path = join(
      systemTemp,
      `quire-simulated-lock-${pid}-${this.mount.disk.id}-${this.node.ino}`,
    );
    if (this.#lock === undefined) {
      this.#lock = { fd: openSync(path, 'a'), path };
      lockCounts.set(path, (lockCounts.get(path) ?? 0) + 1);
    }
    return this.#lock.fd;
  }

  get file(): FileNode {
    if (this.node.kind === 'directory') throw errnoOf('EISDIR', `${this.node.ino}`);
    return this.node;
  }

  readNow(target: Uint8Array, offset: number, length: number, position: number): number {
    const { bytes, sizeBytes } = this.file;
    const end = Math.min(sizeBytes, position + length);
    if (position >= end) return 0;
    target.set(bytes.subarray(position, end), offset);
    return end - position;
  }

  appendNow(bytes: Uint8Array): void {
    this.mount.disk.write(this.file, bytes, this.#position);
    this.#position += bytes.byteLength;
  }

  release(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    if (this.#lock !== undefined) {
      const { fd, path } = this.#lock;
      closeSync(fd);
      const count = (lockCounts.get(path) ?? 1) - 1;
      lockCounts.set(path, count);
      if (count === 0) rmSync(path);
    }
    if (this.node.kind === 'file') this.mount.disk.close(this.node);
    this.#onReleased(this);
  }
}

/** Returns Node's `stat` of a file or a directory; with `bigint`, in nanoseconds as well. */
export function statsOf(node: DiskNode): Stats {
  const size = node.kind === 'file' ? node.sizeBytes : 0;
  const ms = Number(node.stampNs / 1000n) / 1000;
  return {
    ino: node.ino,
    size,
    nlink: node.kind === 'file' ? node.nameCount : 1,
    mtimeMs: ms,
    ctimeMs: ms,
    mtime: new Date(ms),
    mtimeNs: node.stampNs,
    ctimeNs: node.stampNs,
    isFile: () => node.kind === 'file',
    isDirectory: () => node.kind === 'directory',
    isSymbolicLink: () => false,
  } as unknown as Stats;
}

function modeOf(flags: string | number) {
  if (typeof flags === 'number') {
    return {
      isCreating: (flags & constants.O_CREAT) !== 0,
      isExclusive: (flags & constants.O_EXCL) !== 0,
      isTruncating: (flags & constants.O_TRUNC) !== 0,
      isAppending: (flags & constants.O_APPEND) !== 0,
    };
  }
  return {
    isCreating: /^[aw]/.test(flags),
    isExclusive: flags.includes('x'),
    isTruncating: flags.startsWith('w'),
    isAppending: flags.startsWith('a'),
  };
}
