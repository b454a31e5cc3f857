import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  MiB,
  type QuireError,
  type QueryExecution,
  type QueryParameters,
  type SqlDialect,
  systemClock,
} from '@quire/core';
import type { Data, Field, RecordBatch } from 'apache-arrow';
import { DuckDbEngine, type DuckDbEngineOptions } from '../src/index.ts';
import { cellText, type CellText } from './cell-text.ts';

const timeoutMs = 240_000;

/** An engine in a separate directory, with shortcuts that the tests share. */
export class TestEngine implements AsyncDisposable {
  readonly engine: DuckDbEngine;
  readonly directory: string;
  /** The dialect of queries. */
  dialect: SqlDialect = 'duckdb';

  private constructor(engine: DuckDbEngine, directory: string) {
    this.engine = engine;
    this.directory = directory;
  }

  static async open(options: Partial<DuckDbEngineOptions> = {}): Promise<TestEngine> {
    const directory = await mkdtemp(join(tmpdir(), 'quire-engine-'));
    try {
      const engine = await DuckDbEngine.open({
        tables: [],
        memoryMaxBytes: 512 * MiB,
        threads: 2,
        spillDirectory: join(directory, 'spill'),
        spillMaxBytes: 512 * MiB,
        clock: systemClock,
        ...options,
      });
      return new TestEngine(engine, directory);
    } catch (error) {
      await rm(directory, { recursive: true });
      throw error;
    }
  }

  execute(
    sql: string,
    signal?: AbortSignal,
    parameters?: QueryParameters,
  ): Promise<QueryExecution> {
    return this.engine.execute(
      { sql, parameters, dialect: this.dialect },
      { signal, limits: { timeoutMs } },
    );
  }

  async answer(sql: string, parameters?: QueryParameters): Promise<Answer> {
    await using execution = await this.execute(sql, undefined, parameters);
    const batches: RecordBatch[] = [];
    for await (const batch of execution.batches) batches.push(batch);
    return new Answer(execution.schema.fields, batches);
  }

  /** Runs a query that must fail, at the start or in mid-stream. */
  async failure(sql: string, parameters?: QueryParameters): Promise<QuireError> {
    return this.answer(sql, parameters).then(
      () => Promise.reject(new Error(`This must fail: ${sql}`)),
      (error: unknown) => error as QuireError,
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.engine[Symbol.asyncDispose]();
    await rm(this.directory, { recursive: true });
  }
}

/** A whole answer, with its cells as DuckDB's text for them. */
export class Answer {
  readonly fields: readonly Field[];
  readonly batches: readonly RecordBatch[];

  constructor(fields: readonly Field[], batches: readonly RecordBatch[]) {
    this.fields = fields;
    this.batches = batches;
  }

  get rowCount(): number {
    return this.batches.reduce((sum, batch) => sum + batch.numRows, 0);
  }

  column(index: number): CellText[] {
    const texts: CellText[] = [];
    for (const batch of this.batches) {
      const data = batch.data.children[index] as Data;
      for (let row = 0; row < batch.numRows; row += 1) texts.push(cellText(data, row));
    }
    return texts;
  }

  /** Name and type of every column, such as `delay: Int64`. */
  get columns(): string[] {
    return this.fields.map(({ name, type }) => `${name}: ${String(type)}`);
  }

  rows(): CellText[][] {
    const columns = this.fields.map((_, index) => this.column(index));
    return Array.from({ length: this.rowCount }, (_, row) =>
      columns.map((column) => column[row] ?? null),
    );
  }
}
