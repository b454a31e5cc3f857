import type { QueryEngine } from '../query-engine.ts';
import type { ConformanceCase } from './conformance-case.ts';

/** Queries in the engine's own SQL, since the port does not know it. */
export interface EngineQueries {
  /** Gives the integers from 0 to 99,999, in order, in one column named `n`. */
  readonly numbers: string;
  /** Gives no row, in the columns of `numbers`. */
  readonly noRows: string;
  /** Gives rows for as long as anybody reads them: longer than the test wants to wait. */
  readonly endless: string;
  /** Gives the value of its one parameter, by position. Undefined: the engine has no parameters. */
  readonly parameter?: string;
  /** Cannot be parsed. */
  readonly syntaxError: string;
  /** Reads a table that does not exist. */
  readonly missingTable: string;
  /**
   * Reads a column that does not exist of a table that does. Undefined: the engine's tables have
   * any column.
   */
  readonly missingColumn?: string;
  /**
   * Fails only while it runs, such as by a cast of a text that is not a number. Undefined: no query
   * of the engine does.
   */
  readonly runtimeFailure?: string;
}

/** An engine of its own for one test. */
export interface EngineFixture extends AsyncDisposable {
  readonly engine: QueryEngine;
  readonly queries: EngineQueries;
}

/** Opens an engine. Each test opens its own, and disposes it. */
export type OpenEngineFixture = () => Promise<EngineFixture>;

/** A sentence of the port `QueryEngine`, to hold an engine to. */
export type EngineCase = ConformanceCase<OpenEngineFixture>;
