import * as fs from 'node:fs';

/** The status of a file. */
export interface FileStatus {
  readonly kind: 'file' | 'directory' | 'other';
  readonly sizeBytes: number;
  readonly lastModifiedMs: number;
  /** The number of its names. */
  readonly linkCount: number;
  /**
   * The time at which its bytes, names or owner last changed, as exactly as the system reports it.
   */
  readonly changedMs: number;
}

/**
 * All operating system calls of a FileObjectStore. Tests replace them to count calls, and to fail
 * or die at any one. Each rejects with Node's errno errors.
 */
export interface FileSystem {
  /**
   * Opens a regular file for reading, without following a symbolic link in its last segment or
   * waiting for the writer of a pipe.
   */
  openForReading(path: string): Promise<number>;
  /** Creates a file for writing, which must not exist. */
  create(path: string): Promise<number>;
  /**
   * Returns the status of an open file. Synchronous, because it is available at once, and a round
   * trip to another thread costs twenty times as much.
   */
  statusOfOpen(fd: number): FileStatus;
  /** Reads up to `length` bytes at `position`; 0 at the end of the file. */
  read(
    fd: number,
    buffer: Uint8Array,
    offset: number,
    length: number,
    position: number,
  ): Promise<number>;
  /**
   * Reads as `read` does, in this thread, if the caller expects that no disk access is needed.
   * Omitted: not supported.
   */
  readSync?(
    fd: number,
    buffer: Uint8Array,
    offset: number,
    length: number,
    position: number,
  ): number;
  /** Appends some or all of `bytes` to the file; returns the number of bytes written. */
  write(fd: number, bytes: Uint8Array): Promise<number>;
  setLastModified(fd: number, timeMs: number): Promise<void>;
  sync(fd: number): Promise<void>;
  close(fd: number): Promise<void>;
  /** Makes changes of a directory's names durable. */
  syncDirectory(path: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  /** Gives a file a second name, which must not exist. */
  link(from: string, to: string): Promise<void>;
  unlink(path: string): Promise<void>;
  makeDirectory(path: string): Promise<void>;
  removeDirectory(path: string): Promise<void>;
  /**
   * Returns the names of a directory's files, and of its directories with a trailing slash, without
   * other entries. In no order.
   */
  readDirectory(path: string): Promise<string[]>;
  /** Does not follow a symbolic link in the last segment. */
  status(path: string): Promise<FileStatus>;
  realPath(path: string): Promise<string>;
}

const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_DIRECTORY } = fs.constants;
// Results belong to the principal that ran the query: only the owner and its group may read them.
const fileMode = 0o640;
const directoryMode = 0o750;

/**
 * Node's file system. Callbacks rather than `fs.promises`: a FileHandle makes a page read a third
 * slower.
 */
export const nodeFileSystem: FileSystem = {
  openForReading: (path) =>
    called((done) => fs.open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, done)),
  create: (path) => called((done) => fs.open(path, O_WRONLY | O_CREAT | O_EXCL, fileMode, done)),
  statusOfOpen: (fd) => statusOf(fs.fstatSync(fd)),
  read: (fd, buffer, offset, length, position) =>
    called((done) => fs.read(fd, buffer, offset, length, position, done)),
  readSync: (fd, buffer, offset, length, position) =>
    fs.readSync(fd, buffer, offset, length, position),
  write: (fd, bytes) => called((done) => fs.write(fd, bytes, 0, bytes.byteLength, null, done)),
  setLastModified: (fd, timeMs) =>
    called((done) => fs.futimes(fd, timeMs / 1000, timeMs / 1000, done)),
  sync: (fd) => called((done) => fs.fsync(fd, done)),
  close: (fd) => called((done) => fs.close(fd, done)),
  async syncDirectory(path) {
    const fd = await called<number>((done) => fs.open(path, O_RDONLY | O_DIRECTORY, done));
    try {
      await called((done) => fs.fsync(fd, done));
    } finally {
      await called((done) => fs.close(fd, done));
    }
  },
  rename: (from, to) => called((done) => fs.rename(from, to, done)),
  link: (from, to) => called((done) => fs.link(from, to, done)),
  unlink: (path) => called((done) => fs.unlink(path, done)),
  makeDirectory: (path) => called((done) => fs.mkdir(path, directoryMode, done)),
  removeDirectory: (path) => called((done) => fs.rmdir(path, done)),
  async readDirectory(path) {
    const entries = await called<fs.Dirent[]>((done) =>
      fs.readdir(path, { withFileTypes: true }, done),
    );
    const names: string[] = [];
    for (const entry of entries) {
      if (entry.isFile()) names.push(entry.name);
      else if (entry.isDirectory()) names.push(`${entry.name}/`);
    }
    return names;
  },
  async status(path) {
    return statusOf(await called<fs.Stats>((done) => fs.lstat(path, done)));
  },
  realPath: (path) => called((done) => fs.realpath.native(path, done)),
};

type Callback<T> = (error: Error | null, value?: T) => void;

function called<T>(call: (done: Callback<T>) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    call((error, value) => {
      if (error === null || error === undefined) resolve(value as T);
      else reject(error);
    });
  });
}

function statusOf(stats: fs.Stats): FileStatus {
  const kind = stats.isFile() ? 'file' : stats.isDirectory() ? 'directory' : 'other';
  return {
    kind,
    sizeBytes: stats.size,
    lastModifiedMs: Math.round(stats.mtimeMs),
    linkCount: stats.nlink,
    changedMs: stats.ctimeMs,
  };
}
