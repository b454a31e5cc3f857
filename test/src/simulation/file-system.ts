import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import type { FileSystem } from '@quire/store-file';
import { errnoOf } from './disk-tree.ts';
import { type Mount, type OpenFile, statsOf } from './mount.ts';

const root = '/simulated-disks';
const mounts = new Map<string, Mount>();
const paths = new WeakMap<Mount, string>();
let mountCount = 0;

/** Makes a disk reachable by paths for Node's own calls, and returns the path of its root. */
export function pathOfMount(mount: Mount): string {
  const known = paths.get(mount);
  if (known !== undefined) return known;
  mountCount += 1;
  const path = `${root}/${mountCount}`;
  mounts.set(String(mountCount), mount);
  paths.set(mount, path);
  return path;
}

/** The mount that a path leads to, and the path there; undefined for paths of the real system. */
function found(path: unknown): { readonly mount: Mount; readonly at: string } | undefined {
  if (typeof path !== 'string' || !path.startsWith(`${root}/`)) return undefined;
  const [, , name = '', ...parts] = path.split('/');
  const mount = mounts.get(name);
  if (mount === undefined) throw errnoOf('ENOENT', path);
  return { mount, at: `/${parts.join('/')}` };
}

/**
 * Redirects the calls of `node:fs` in product code to simulated disks, for paths on them, until it
 * is disposed. All other calls go to the system.
 */
export function simulateFileSystem(): Disposable {
  const { statSync } = fs;
  const promises = { ...fs.promises };
  const replaced = Object.fromEntries(
    Object.entries(calls).map(([name, simulated]) => {
      const real = promises[name as keyof typeof calls] as (...given: unknown[]) => unknown;
      const call = async (path: unknown, ...rest: unknown[]): Promise<unknown> => {
        const target = found(path);
        if (target === undefined) return await real(path, ...rest);
        return await (simulated as SimulatedCall)(target.mount, target.at, ...rest);
      };
      return [name, call];
    }),
  );
  Object.assign(fs.promises, replaced);
  Object.assign(fs, {
    statSync: (path: fs.PathLike, options?: fs.StatSyncOptions) => {
      const target = found(path);
      if (target === undefined) return statSync(path, options);
      if (options?.throwIfNoEntry === false && !target.mount.disk.has(target.at)) return undefined;
      return statsOf(target.mount.disk.find(target.at));
    },
  });
  syncBuiltinESMExports();
  return {
    [Symbol.dispose]: () => {
      Object.assign(fs.promises, promises);
      Object.assign(fs, { statSync });
      syncBuiltinESMExports();
      mounts.clear();
    },
  };
}

type SimulatedCall = (mount: Mount, path: string, ...rest: unknown[]) => Promise<unknown>;

interface RemoveOptions {
  readonly recursive?: boolean;
  readonly force?: boolean;
}

/** The calls of `node:fs/promises` that are simulated. */
const calls = {
  open: async (mount: Mount, path: string, flags: string | number = 'r') =>
    handleOf(await mount.call(() => mount.openNow(path, flags))),
  readFile: (mount: Mount, path: string, encoding?: BufferEncoding) =>
    mount.call((disk) => {
      const { bytes, sizeBytes } = disk.findFile(path);
      const content = Buffer.from(bytes.subarray(0, sizeBytes));
      return encoding === undefined ? content : content.toString(encoding);
    }),
  writeFile: (mount: Mount, path: string, content: string | Uint8Array) =>
    mount.call(() => {
      const file = mount.openNow(path, 'w');
      try {
        file.appendNow(Buffer.from(content));
      } finally {
        file.release();
      }
    }),
  mkdir: (mount: Mount, path: string, options: { readonly recursive?: boolean } = {}) =>
    mount.call((disk) => {
      const made = disk.makeDirectory(path, { isRecursive: options.recursive === true });
      return made === undefined ? undefined : `${pathOfMount(mount)}${made}`;
    }),
  readdir: (mount: Mount, path: string) =>
    mount.call((disk) => [...disk.findDirectory(path).names.keys()]),
  rename: (mount: Mount, from: string, to: string) =>
    mount.call((disk) => disk.rename(from, found(to)?.at ?? '')),
  link: (mount: Mount, from: string, to: string) =>
    mount.call((disk) => disk.link(from, found(to)?.at ?? '')),
  unlink: (mount: Mount, path: string) => mount.call((disk) => disk.unlink(path)),
  rm: (mount: Mount, path: string, { recursive, force }: RemoveOptions = {}) =>
    mount.call((disk) => {
      if (force === true && !disk.has(path)) return;
      if (recursive === true) disk.removeTree(path);
      else disk.unlink(path);
    }),
  stat: (mount: Mount, path: string) => mount.call((disk) => statsOf(disk.find(path))),
  utimes: (mount: Mount, path: string, _accessed: Date, changed: Date) =>
    mount.call((disk) => {
      disk.findFile(path).stampNs = BigInt(changed.getTime()) * 1_000_000n;
    }),
};

type ReadPlace =
  | [offset: number, length: number, position: number]
  | [options: { readonly position: number }];

/** An open file as of `node:fs/promises`, with the members that product code uses. */
function handleOf(file: OpenFile): object {
  const { mount } = file;
  const close = async (): Promise<void> => file.release();
  return {
    get fd() {
      return file.fd;
    },
    read: (target: Uint8Array, ...where: ReadPlace) => {
      const [offset, length, position] =
        where.length === 3 ? where : ([0, target.byteLength, where[0].position] as const);
      return mount.call(() => {
        return { bytesRead: file.readNow(target, offset, length, position), buffer: target };
      });
    },
    write: (bytes: Uint8Array, offset = 0, length?: number, position?: number) =>
      mount.call((disk) => {
        const part = bytes.subarray(offset, length === undefined ? undefined : offset + length);
        if (position === undefined) file.appendNow(part);
        else disk.write(file.file, part, position);
        return { bytesWritten: part.byteLength };
      }),
    writeFile: (content: string | Uint8Array) =>
      mount.call(() => file.appendNow(Buffer.from(content))),
    sync: () => mount.call((disk) => disk.sync(file.node)),
    stat: async () => statsOf(file.node),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** The file system of a mount as a `FileObjectStore` calls it. */
export function fileSystemOf(mount: Mount): FileSystem {
  const files = new Map<number, OpenFile>();
  let fdCount = 0;
  const fileOf = (fd: number): OpenFile => {
    const file = files.get(fd);
    if (file === undefined) throw errnoOf('EBADF', `fd ${fd}`);
    return file;
  };
  const open = (path: string, flags: string): Promise<number> =>
    mount.call(() => {
      fdCount += 1;
      files.set(fdCount, mount.openNow(path, flags));
      return fdCount;
    });
  return {
    openForReading: (path) => open(path, 'r'),
    create: (path) => open(path, 'wx'),
    statusOfOpen: (fd) => statusOf(fileOf(fd).node),
    read: (fd, buffer, offset, length, position) =>
      mount.call(() => fileOf(fd).readNow(buffer, offset, length, position)),
    write: (fd, bytes) =>
      mount.call(() => {
        fileOf(fd).appendNow(bytes);
        return bytes.byteLength;
      }),
    setLastModified: (fd, timeMs) =>
      mount.call(() => void (fileOf(fd).node.stampNs = BigInt(Math.floor(timeMs)) * 1_000_000n)),
    sync: (fd) => mount.call((disk) => disk.sync(fileOf(fd).node)),
    close: async (fd) => {
      fileOf(fd).release();
      files.delete(fd);
    },
    syncDirectory: (path) => mount.call((disk) => disk.sync(disk.findDirectory(path))),
    rename: (from, to) => mount.call((disk) => disk.rename(from, to)),
    link: (from, to) => mount.call((disk) => disk.link(from, to)),
    unlink: (path) => mount.call((disk) => disk.unlink(path)),
    makeDirectory: (path) =>
      mount.call((disk) => void disk.makeDirectory(path, { isRecursive: false })),
    removeDirectory: (path) => mount.call((disk) => disk.removeDirectory(path)),
    readDirectory: (path) =>
      mount.call((disk) =>
        [...disk.findDirectory(path).names].map(([name, { kind }]) =>
          kind === 'file' ? name : `${name}/`,
        ),
      ),
    status: (path) => mount.call((disk) => statusOf(disk.find(path))),
    realPath: async (path) => path,
  };
}

function statusOf(node: Parameters<typeof statsOf>[0]): ReturnType<FileSystem['statusOfOpen']> {
  const { size, mtimeMs, ctimeMs, nlink } = statsOf(node);
  return {
    kind: node.kind,
    sizeBytes: size,
    lastModifiedMs: Math.round(mtimeMs),
    linkCount: nlink,
    changedMs: ctimeMs,
  };
}
