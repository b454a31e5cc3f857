import { type OpenEngineFixture, queryEngineCases } from '@quire/core/conformance';
import { describe, expect, test } from 'vitest';
import { expectCaught } from '../testkit/planted-case.ts';
import { openDuckDb } from './duckdb-fixture.ts';
import { type PlantedEngineBug, plantedEngineBugs as bugs } from './planted-engine-bugs.ts';

const cases = new Map(queryEngineCases().map((each) => [each.title, each]));

/** DuckDB with a bug. `engine-duckdb.conformance.test.ts` shows that it passes without one. */
function openWith({ plant }: PlantedEngineBug): OpenEngineFixture {
  return async () => {
    const whole = await openDuckDb();
    return {
      engine: plant(whole.engine),
      queries: whole.queries,
      [Symbol.asyncDispose]: () => whole[Symbol.asyncDispose](),
    };
  };
}

describe('the conformance suite of engines', () => {
  test.each(bugs)('the conformance suite of engines catches an engine that $name', async (bug) => {
    const caughtBy = cases.get(bug.caughtBy);
    if (caughtBy === undefined) return expect.fail(`There is no case “${bug.caughtBy}”.`);
    await expectCaught(caughtBy, openWith(bug), { hangs: bug.hangs, patienceMs: 1000 });
  });

  test('the conformance suite of engines is tried with at least 25 bugs, at least one for each sentence', () => {
    expect(bugs.length).toBeGreaterThanOrEqual(25);
    expect([...new Set(bugs.map(({ caughtBy }) => caughtBy))].toSorted()).toEqual(
      [...cases.keys()].toSorted(),
    );
  });
});
