import type { TableEngine } from '../table-engine/index.ts';
import type { ConformanceCase } from './conformance-case.ts';

/** An engine without tables of the test, a topic of two partitions, and hands to write to it. */
export interface TableEngineFixture extends AsyncDisposable {
  readonly engine: TableEngine;
  /** The stream of the topic as a table's config has it, to be consumed from its start. */
  readonly streamConfig: Readonly<Record<string, string>>;
  /** Writes JSON objects to the end of a partition. */
  append(partition: number, rows: readonly object[]): Promise<void>;
  /**
   * A directory that tasks may load files from, and a hand to put some there; undefined where tasks
   * are not looked at.
   */
  readonly files?:
    | { readonly directoryUri: string; write(name: string, text: string): Promise<void> }
    | undefined;
  /** Counts the rows that queries see of a table. */
  count(tableName: string): Promise<number>;
}

/** Opens one. Each test opens its own, and disposes it. */
export type OpenTableEngineFixture = () => Promise<TableEngineFixture>;

/** A sentence of the port `TableEngine`, to hold an engine to. */
export type TableEngineCase = ConformanceCase<OpenTableEngineFixture>;
