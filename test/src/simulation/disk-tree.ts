import { constants } from 'node:os';
import { basename, dirname } from 'node:path';
import type { SeededRandom } from '@quire/core/testing';

/** A file, with the bytes that the disk would still have after a power failure. */
export interface FileNode {
  readonly kind: 'file';
  readonly ino: number;
  bytes: Buffer;
  sizeBytes: number;
  /** The content when it was last synced; undefined for a file that never was. */
  synced: Buffer | undefined;
  isDirty: boolean;
  stampNs: bigint;
  nameCount: number;
  openCount: number;
}

/** A directory, with the changes of its names that a power failure may undo. */
export interface DirectoryNode {
  readonly kind: 'directory';
  readonly ino: number;
  names: Map<string, DiskNode>;
  synced: Map<string, DiskNode>;
  pending: NameChange[];
  stampNs: bigint;
}

export type DiskNode = FileNode | DirectoryNode;

/** Names that change together; undefined for a name that is removed. */
type NameChange = readonly (readonly [name: string, node: DiskNode | undefined])[];

let diskCount = 0;

/** Bytes that a disk writes whole or not at all. */
const sectorBytes = 512;

/** An error as Node's file system throws it. */
export function errnoOf(code: keyof typeof constants.errno, path: string): Error {
  const { stackTraceLimit } = Error;
  // Many are expected, and their origin is never read.
  Error.stackTraceLimit = 0;
  const error = new Error(`${code}: simulated, '${path}'`);
  Error.stackTraceLimit = stackTraceLimit;
  return Object.assign(error, {
    code,
    errno: -constants.errno[code],
    path,
  });
}

/**
 * The file system of one machine, in memory, with the guarantees of POSIX and no others: a power
 * failure loses or tears bytes that were not synced, and undoes changes of names in a directory
 * that was not synced, the latest first.
 */
export class SimulatedDisk {
  /** Unique within this process. */
  readonly id: number;
  /** The maximum number of bytes that it holds. */
  capacityBytes = Infinity;
  /** True if `sync` is durable; a planted defect sets it to false. */
  isSyncHonest = true;
  readonly #nowMs: () => number;
  #usedBytes = 0;
  #lastIno = 1;
  #lastStampNs = 0n;
  readonly #root: DirectoryNode;

  constructor(nowMs: () => number) {
    diskCount += 1;
    this.id = diskCount;
    this.#nowMs = nowMs;
    this.#root = this.#newDirectory();
  }

  get usedBytes(): number {
    return this.#usedBytes;
  }

  find(path: string): DiskNode {
    let node: DiskNode = this.#root;
    for (const name of partsOf(path)) {
      if (node.kind === 'file') throw errnoOf('ENOTDIR', path);
      const next = node.names.get(name);
      if (next === undefined) throw errnoOf('ENOENT', path);
      node = next;
    }
    return node;
  }

  findFile(path: string): FileNode {
    const node = this.find(path);
    if (node.kind === 'directory') throw errnoOf('EISDIR', path);
    return node;
  }

  findDirectory(path: string): DirectoryNode {
    const node = this.find(path);
    if (node.kind === 'file') throw errnoOf('ENOTDIR', path);
    return node;
  }

  has(path: string): boolean {
    let node: DiskNode | undefined = this.#root;
    for (const name of partsOf(path)) {
      node = node?.kind === 'directory' ? node.names.get(name) : undefined;
    }
    return node !== undefined;
  }

  /** @throws EEXIST when there is something of that name */
  createFile(path: string): FileNode {
    const parent = this.findDirectory(dirname(path));
    if (parent.names.has(basename(path))) throw errnoOf('EEXIST', path);
    const file: FileNode = {
      kind: 'file',
      ino: this.#ino(),
      bytes: Buffer.alloc(0),
      sizeBytes: 0,
      synced: undefined,
      isDirty: false,
      stampNs: this.#stampNs(),
      nameCount: 1,
      openCount: 0,
    };
    this.#change(parent, [[basename(path), file]]);
    return file;
  }

  /** Returns the first directory that it created. */
  makeDirectory(path: string, options: { readonly isRecursive: boolean }): string | undefined {
    const { isRecursive } = options;
    if (this.has(path)) {
      if (isRecursive && this.find(path).kind === 'directory') return undefined;
      throw errnoOf('EEXIST', path);
    }
    const above = isRecursive ? this.makeDirectory(dirname(path), options) : undefined;
    const parent = this.findDirectory(dirname(path));
    this.#change(parent, [[basename(path), this.#newDirectory()]]);
    return above ?? path;
  }

  rename(from: string, to: string): void {
    const node = this.find(from);
    const [source, target] = [this.findDirectory(dirname(from)), this.findDirectory(dirname(to))];
    const replaced = target.names.get(basename(to));
    if (replaced === node) return;
    if (replaced?.kind === 'directory' && (node.kind === 'file' || replaced.names.size > 0)) {
      throw errnoOf(node.kind === 'file' ? 'EISDIR' : 'ENOTEMPTY', to);
    }
    if (source === target) {
      this.#change(source, [
        [basename(from), undefined],
        [basename(to), node],
      ]);
    } else {
      this.#change(target, [[basename(to), node]]);
      this.#change(source, [[basename(from), undefined]]);
    }
    if (replaced?.kind === 'file') this.#dropName(replaced);
  }

  link(from: string, to: string): void {
    const file = this.findFile(from);
    const parent = this.findDirectory(dirname(to));
    if (parent.names.has(basename(to))) throw errnoOf('EEXIST', to);
    file.nameCount += 1;
    this.#change(parent, [[basename(to), file]]);
  }

  unlink(path: string): void {
    const file = this.findFile(path);
    this.#change(this.findDirectory(dirname(path)), [[basename(path), undefined]]);
    this.#dropName(file);
  }

  removeDirectory(path: string): void {
    if (this.findDirectory(path).names.size > 0) throw errnoOf('ENOTEMPTY', path);
    this.#change(this.findDirectory(dirname(path)), [[basename(path), undefined]]);
  }

  removeTree(path: string): void {
    const node = this.find(path);
    if (node.kind === 'file') return this.unlink(path);
    for (const name of node.names.keys()) this.removeTree(`${path}/${name}`);
    this.removeDirectory(path);
  }

  open(file: FileNode): void {
    file.openCount += 1;
  }

  close(file: FileNode): void {
    file.openCount -= 1;
    this.#release(file);
  }

  /** @throws ENOSPC when the disk is full */
  write(file: FileNode, bytes: Uint8Array, position: number): void {
    const end = position + bytes.byteLength;
    const growthBytes = Math.max(0, end - file.sizeBytes);
    if (growthBytes > 0 && this.#usedBytes + growthBytes > this.capacityBytes) {
      throw errnoOf('ENOSPC', `file ${file.ino}`);
    }
    if (end > file.bytes.byteLength) {
      const larger = Buffer.alloc(Math.max(end, 2 * file.bytes.byteLength));
      file.bytes.copy(larger, 0, 0, file.sizeBytes);
      file.bytes = larger;
    }
    file.bytes.set(bytes, position);
    file.sizeBytes += growthBytes;
    this.#usedBytes += growthBytes;
    this.touch(file);
  }

  truncate(file: FileNode): void {
    this.#usedBytes -= file.sizeBytes;
    [file.bytes, file.sizeBytes] = [Buffer.alloc(0), 0];
    this.touch(file);
  }

  /** Marks a file as changed, at a time of change of its own. */
  touch(file: FileNode): void {
    file.isDirty = true;
    file.stampNs = this.#stampNs();
  }

  /** Makes the bytes of a file, or the names in a directory, survive a power failure. */
  sync(node: DiskNode): void {
    if (!this.isSyncHonest) return;
    if (node.kind === 'directory') {
      [node.synced, node.pending] = [new Map(node.names), []];
    } else if (node.isDirty || node.synced === undefined) {
      node.synced = Buffer.from(node.bytes.subarray(0, node.sizeBytes));
      node.isDirty = false;
    }
  }

  /**
   * Loses all or parts of the bytes that were not synced. No process may have open files at that
   * time.
   */
  failPower(random: SeededRandom): void {
    this.#usedBytes = 0;
    const seen = new Set<FileNode>();
    const visit = (directory: DirectoryNode): void => {
      const keptCount = random.integer(directory.pending.length + 1);
      directory.names = new Map(directory.synced);
      for (const change of directory.pending.slice(0, keptCount)) apply(directory.names, change);
      [directory.synced, directory.pending] = [new Map(directory.names), []];
      for (const node of directory.names.values()) {
        if (node.kind === 'directory') {
          visit(node);
          continue;
        }
        if (!seen.has(node)) {
          seen.add(node);
          node.nameCount = 0;
          this.#tear(node, random);
          this.#usedBytes += node.sizeBytes;
        }
        node.nameCount += 1;
      }
    };
    visit(this.#root);
  }

  /** Paths of all files, from the root. */
  files(directory = '/'): readonly string[] {
    return [...this.findDirectory(directory).names].flatMap(([name, node]) => {
      const path = `${directory === '/' ? '' : directory}/${name}`;
      return node.kind === 'file' ? [path] : this.files(path);
    });
  }

  /** Tears bytes that were not synced: each sector is present or absent, and so is the length. */
  #tear(file: FileNode, random: SeededRandom): void {
    if (file.isDirty || file.synced === undefined) {
      const before = file.synced ?? Buffer.alloc(0);
      const after = file.bytes.subarray(0, file.sizeBytes);
      const outcome = random.integer(3);
      let left = outcome === 0 ? before : after;
      if (outcome === 2) {
        left = Buffer.alloc(random.fraction() < 0.5 ? after.byteLength : before.byteLength);
        for (let start = 0; start < left.byteLength; start += sectorBytes) {
          const from = random.fraction() < 0.5 ? before : after;
          if (start >= from.byteLength) continue;
          from.copy(left, start, start, Math.min(start + sectorBytes, left.byteLength));
        }
      }
      file.bytes = Buffer.from(left);
      file.sizeBytes = left.byteLength;
      file.stampNs = this.#stampNs();
    }
    [file.synced, file.isDirty, file.openCount] = [
      Buffer.from(file.bytes.subarray(0, file.sizeBytes)),
      false,
      0,
    ];
  }

  #change(directory: DirectoryNode, change: NameChange): void {
    apply(directory.names, change);
    directory.pending.push(change);
    directory.stampNs = this.#stampNs();
  }

  #dropName(file: FileNode): void {
    file.nameCount -= 1;
    this.#release(file);
  }

  #release(file: FileNode): void {
    if (file.nameCount === 0 && file.openCount === 0) this.#usedBytes -= file.sizeBytes;
  }

  #newDirectory(): DirectoryNode {
    return {
      kind: 'directory',
      ino: this.#ino(),
      names: new Map(),
      synced: new Map(),
      pending: [],
      stampNs: this.#stampNs(),
    };
  }

  #ino(): number {
    this.#lastIno += 1;
    return this.#lastIno;
  }

  /** No two changes have the same time. */
  #stampNs(): bigint {
    const nowNs = BigInt(Math.floor(this.#nowMs())) * 1_000_000n;
    this.#lastStampNs = nowNs > this.#lastStampNs ? nowNs : this.#lastStampNs + 1n;
    return this.#lastStampNs;
  }
}

function apply(names: Map<string, DiskNode>, change: NameChange): void {
  for (const [name, node] of change) {
    if (node === undefined) names.delete(name);
    else names.set(name, node);
  }
}

function partsOf(path: string): readonly string[] {
  return path.split('/').filter((part) => part !== '' && part !== '.');
}
