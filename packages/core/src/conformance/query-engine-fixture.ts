import type { QueryEngine } from '../query-engine.ts';
import type { ConformanceCase } from './conformance-case.ts';

/** Queries in the engine's own SQL, which the port does not know. */
export interface EngineQueries {
  /** Returns the integers from 0 to 99,999, in order, in one column named `n`. */
  readonly numbers: string;
  /** Returns no rows, with the columns of `numbers`. */
  readonly noRows: string;
  /** Returns rows for longer than any test reads. */
  readonly endless: string;
  /**
   * Returns the value of its only parameter, by position. Undefined: the engine has no parameters.
   */
  readonly parameter?: string;
  /** Cannot be parsed. */
  readonly syntaxError: string;
  /** Reads a table that does not exist. */
  readonly missingTable: string;
  /**
   * Reads a missing column of an existing table. Undefined: the engine's tables have any column.
   */
  readonly missingColumn?: string;
  /**
   * Fails only while it runs, for example by a cast of text that is not a number. Undefined: no
   * query of the engine does.
   */
  readonly runtimeFailure?: string;
}

/** A separate engine for one test. */
export interface EngineFixture extends AsyncDisposable {
  readonly engine: QueryEngine;
  readonly queries: EngineQueries;
}

/** Opens an engine. Each test opens and disposes its own. */
export type OpenEngineFixture = () => Promise<EngineFixture>;

/** A case for one sentence of the port `QueryEngine`. */
export type EngineCase = ConformanceCase<OpenEngineFixture>;
