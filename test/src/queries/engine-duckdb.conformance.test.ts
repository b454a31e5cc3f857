import { describeQueryEngine } from '@quire/core/conformance';
import { openDuckDb } from './duckdb-fixture.ts';

describeQueryEngine('DuckDB', openDuckDb);
