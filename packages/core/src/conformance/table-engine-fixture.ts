import type { TableEngine } from '../table-engine/index.ts';
import type { ConformanceCase } from './conformance-case.ts';

/**
 * An engine without tables of the test, a topic of two partitions, and functions that write to it.
 */
export interface TableEngineFixture extends AsyncDisposable {
  readonly engine: TableEngine;
  /** The stream configuration of a table that consumes the topic from its start. */
  readonly streamConfig: Readonly<Record<string, string>>;
  /** Appends JSON objects to a partition. */
  append(partition: number, rows: readonly object[]): Promise<void>;
  /**
   * A directory that tasks may load files from, and a function that adds one; undefined where tasks
   * are not tested.
   */
  readonly files?:
    | { readonly directoryUri: string; write(name: string, text: string): Promise<void> }
    | undefined;
  /** Counts the rows of a table that queries see. */
  count(tableName: string): Promise<number>;
}

/** Opens a fixture. Each test opens and disposes its own. */
export type OpenTableEngineFixture = () => Promise<TableEngineFixture>;

/** A case for one sentence of the port `TableEngine`. */
export type TableEngineCase = ConformanceCase<OpenTableEngineFixture>;
