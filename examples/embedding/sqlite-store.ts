import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import {
  assertByteRange,
  assertObjectKey,
  type CallOptions,
  type GetOptions,
  isQuireError,
  type ListOptions,
  type ObjectBody,
  type ObjectEntry,
  objectNotFound,
  type ObjectStore,
  QuireError,
  resolveByteRange,
  SingleUseBody,
  sourceChunks,
  storeClosed,
  throwIfAborted,
} from '@quire/core';

const blockBytes = 256 * 1024;
const entriesPerQuery = 500;

/**
 * An ObjectStore in one SQLite database: an object is a row, and its bytes are rows of blocks. An
 * object without a key is being written. For one process at a time; at its start it deletes the
 * unfinished objects of a killed one.
 */
export class SqliteObjectStore implements ObjectStore {
  readonly location: string;
  readonly #database: DatabaseSync;
  readonly #sizeMaxBytes: number;
  #usedBytes: number;
  #isClosed = false;
  /** Open bodies and puts in progress: the database stays open for them. */
  #userCount = 0;

  constructor(path: string, { sizeMaxBytes = 2 ** 40 }: { readonly sizeMaxBytes?: number } = {}) {
    this.location = pathToFileURL(path).href.replace('file:', 'sqlite:');
    this.#sizeMaxBytes = sizeMaxBytes;
    this.#database = new DatabaseSync(path);
    this.#database.exec(`
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = FULL;
      PRAGMA foreign_keys = ON;
      CREATE TABLE IF NOT EXISTS objects (
        id INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT UNIQUE, size_bytes INTEGER NOT NULL, modified_ms INTEGER NOT NULL
      );
      CREATE TABLE IF NOT EXISTS blocks (
        object_id INTEGER NOT NULL REFERENCES objects ON DELETE CASCADE, position INTEGER NOT NULL, bytes BLOB NOT NULL,
        PRIMARY KEY (object_id, position)
      ) WITHOUT ROWID;
      DELETE FROM objects WHERE key IS NULL;
    `);
    this.#usedBytes = Number(
      this.#database.prepare('SELECT coalesce(sum(size_bytes), 0) AS used FROM objects').get()?.[
        'used'
      ],
    );
  }

  async head(key: string, options?: CallOptions): Promise<ObjectEntry> {
    return this.#call('head', key, options, () => entryOf(this.#find(key)));
  }

  async get(key: string, options?: GetOptions): Promise<ObjectBody> {
    if (options?.range !== undefined) assertByteRange(options.range, key);
    return this.#call('get', key, options, () => {
      const row = this.#find(key);
      const sizeBytes = Number(row['size_bytes']);
      const range = resolveByteRange(options?.range, sizeBytes, key, this.location);
      const chunks = (): AsyncGenerator<Uint8Array> =>
        this.#read(key, Number(row['id']), range, options?.signal);
      this.#userCount += 1;
      return new SingleUseBody({ key, sizeBytes, chunks, release: () => this.#release() });
    });
  }

  async put(
    key: string,
    body: Uint8Array | AsyncIterable<Uint8Array>,
    options?: CallOptions,
  ): Promise<ObjectEntry> {
    this.#check(key, options);
    this.#userCount += 1;
    const write = new ObjectWrite(this.#database);
    try {
      for await (const chunk of sourceChunks(body, options?.signal)) {
        if (this.#isClosed) throw storeClosed(this.location);
        this.#reserve(key, chunk.byteLength, write);
        this.#translated('put', key, () => write.add(chunk));
      }
      this.#check(key, options);
      const { entry, replacedBytes } = this.#translated('put', key, () => write.finish(key));
      this.#usedBytes -= replacedBytes;
      return entry;
    } catch (error) {
      this.#usedBytes -= write.sizeBytes;
      this.#translated('put', key, () => write.discard());
      throw error;
    } finally {
      this.#release();
    }
  }

  async *list(prefix: string, { after, signal }: ListOptions = {}): AsyncGenerator<ObjectEntry> {
    const select = 'SELECT * FROM objects WHERE key >= ? AND key > ? ORDER BY key LIMIT ?';
    for (let last = after ?? ''; ;) {
      throwIfAborted(signal);
      if (this.#isClosed) throw storeClosed(this.location);
      const from = last;
      const rows = this.#translated('list', prefix, () =>
        this.#database.prepare(select).all(prefix, from, entriesPerQuery),
      );
      for (const row of rows) {
        const entry = entryOf(row);
        // Keys are ASCII, which SQLite sorts as JavaScript does: those with the prefix are
        // contiguous.
        if (!entry.key.startsWith(prefix)) return;
        yield entry;
        throwIfAborted(signal);
        if (this.#isClosed) throw storeClosed(this.location);
        last = entry.key;
      }
      if (rows.length < entriesPerQuery) return;
    }
  }

  async delete(key: string, options?: CallOptions): Promise<void> {
    this.#call('delete', key, options, () => {
      const row = this.#database
        .prepare('DELETE FROM objects WHERE key = ? RETURNING size_bytes')
        .get(key);
      this.#usedBytes -= Number(row?.['size_bytes'] ?? 0);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    this.#closeWhenUnused();
  }

  async *#read(
    key: string,
    id: number,
    { start, end }: { readonly start: number; readonly end: number },
    signal: AbortSignal | undefined,
  ): AsyncGenerator<Uint8Array> {
    const select = 'SELECT bytes FROM blocks WHERE object_id = ? AND position = ?';
    for (let offset = start; offset < end;) {
      throwIfAborted(signal);
      const position = Math.floor(offset / blockBytes);
      const row = this.#translated('get', key, () =>
        this.#database.prepare(select).get(id, position),
      );
      // Deleted or replaced in between: its number is never given to another object.
      if (row === undefined) throw objectNotFound(key, this.location);
      const startInBlock = offset - position * blockBytes;
      const bytes = (row['bytes'] as Uint8Array).subarray(
        startInBlock,
        startInBlock + end - offset,
      );
      offset += bytes.byteLength;
      yield bytes;
    }
    throwIfAborted(signal);
  }

  /** @throws STORE_FULL when there is no space for `bytes` more */
  #reserve(key: string, bytes: number, write: ObjectWrite): void {
    if (this.#usedBytes + bytes > this.#sizeMaxBytes) {
      throw new QuireError(
        'STORE_FULL',
        `put of ${key} in ${this.location} failed: it may hold ${this.#sizeMaxBytes} bytes.`,
      );
    }
    this.#usedBytes += bytes;
    write.sizeBytes += bytes;
  }

  #find(key: string): Row {
    const row = this.#database.prepare('SELECT * FROM objects WHERE key = ?').get(key);
    if (row === undefined) throw objectNotFound(key, this.location);
    return row;
  }

  #call<T>(op: string, key: string, options: CallOptions | undefined, run: () => T): T {
    this.#check(key, options);
    return this.#translated(op, key, run);
  }

  #check(key: string, options: CallOptions | undefined): void {
    assertObjectKey(key);
    throwIfAborted(options?.signal);
    if (this.#isClosed) throw storeClosed(this.location);
  }

  /**
   * Runs statements, and converts SQLite's errors to QuireErrors that name the key and the store.
   */
  #translated<T>(op: string, key: string, run: () => T): T {
    try {
      return run();
    } catch (error) {
      if (isQuireError(error)) throw error;
      const isFull = (error as { readonly errcode?: number }).errcode === 13; // SQLITE_FULL
      const message = `${op} of ${key} in ${this.location} failed: ${String(error)}.`;
      throw new QuireError(isFull ? 'STORE_FULL' : 'STORE_UNAVAILABLE', message, { cause: error });
    }
  }

  #release(): void {
    this.#userCount -= 1;
    this.#closeWhenUnused();
  }

  #closeWhenUnused(): void {
    if (this.#isClosed && this.#userCount === 0 && this.#database.isOpen) this.#database.close();
  }
}

type Row = Record<string, unknown>;

function entryOf(row: Row): ObjectEntry {
  return {
    key: String(row['key']),
    sizeBytes: Number(row['size_bytes']),
    lastModifiedMs: Number(row['modified_ms']),
  };
}

/**
 * An object that is being written: a small one at the end, in one transaction; a large one block by
 * block.
 */
class ObjectWrite {
  /** Bytes reserved for it. */
  sizeBytes = 0;
  readonly #database: DatabaseSync;
  #block = new Uint8Array(0);
  #filledBytes = 0;
  #blockCount = 0;
  #id: number | undefined;

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** Copied, because the source may reuse the memory of the chunk. */
  add(chunk: Uint8Array): void {
    for (let offset = 0; offset < chunk.byteLength;) {
      if (this.#filledBytes === blockBytes) this.#writeBlock();
      if (this.#block.byteLength === 0) this.#block = new Uint8Array(blockBytes);
      const bytes = chunk.subarray(offset, offset + blockBytes - this.#filledBytes);
      this.#block.set(bytes, this.#filledBytes);
      this.#filledBytes += bytes.byteLength;
      offset += bytes.byteLength;
    }
  }

  /** Commits the object under its key, in place of an older one. */
  finish(key: string): { readonly entry: ObjectEntry; readonly replacedBytes: number } {
    const lastModifiedMs = Date.now();
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      if (this.#filledBytes > 0) this.#writeBlock();
      const replaced = this.#database
        .prepare('DELETE FROM objects WHERE key = ? RETURNING size_bytes')
        .get(key);
      this.#database
        .prepare('UPDATE objects SET key = ?, size_bytes = ?, modified_ms = ? WHERE id = ?')
        .run(key, this.sizeBytes, lastModifiedMs, this.#rowId());
      this.#database.exec('COMMIT');
      return {
        entry: { key, sizeBytes: this.sizeBytes, lastModifiedMs },
        replacedBytes: Number(replaced?.['size_bytes'] ?? 0),
      };
    } catch (error) {
      this.#database.exec('ROLLBACK');
      throw error;
    }
  }

  discard(): void {
    if (this.#id !== undefined) {
      this.#database.prepare('DELETE FROM objects WHERE id = ? AND key IS NULL').run(this.#id);
    }
  }

  #writeBlock(): void {
    const id = this.#rowId();
    const bytes = this.#block.subarray(0, this.#filledBytes);
    this.#database.prepare('INSERT INTO blocks VALUES (?, ?, ?)').run(id, this.#blockCount, bytes);
    this.#blockCount += 1;
    this.#filledBytes = 0;
  }

  #rowId(): number {
    this.#id ??= Number(
      this.#database.prepare('INSERT INTO objects (size_bytes, modified_ms) VALUES (0, 0)').run()
        .lastInsertRowid,
    );
    return this.#id;
  }
}
