import { type OpenTableEngineFixture, tableEngineCases } from '@quire/core/conformance';
import { describe, expect, test } from 'vitest';
import { expectCaught } from '../testkit/planted-case.ts';
import { openEmbeddedFixture } from './embedded-fixture.ts';
import {
  type PlantedTableEngineBug,
  plantedTableEngineBugs as bugs,
} from './planted-table-engine-bugs.ts';

const cases = new Map(tableEngineCases().map((each) => [`${each.group}: ${each.title}`, each]));

/**
 * The embedded engine with a bug. `embedded-table-engine.conformance.test.ts` shows that it passes
 * without one.
 */
function openWith({ plant }: PlantedTableEngineBug): OpenTableEngineFixture {
  return async () => {
    const whole = await openEmbeddedFixture();
    const changes: ReturnType<typeof plant> = plant(whole.engine);
    const engine = new Proxy(whole.engine, {
      get: (target, name) => {
        const value: unknown = Reflect.get(changes, name) ?? Reflect.get(target, name);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    return { ...whole, engine, [Symbol.asyncDispose]: () => whole[Symbol.asyncDispose]() };
  };
}

describe('the conformance suite of table engines', () => {
  // At once: two of them wait for something that never happens.
  test.concurrent.each(bugs)(
    'the conformance suite of table engines catches an engine that $name',
    async (bug) => {
      const caughtBy = cases.get(bug.caughtBy);
      if (caughtBy === undefined) return expect.fail(`There is no case “${bug.caughtBy}”.`);
      await expectCaught(caughtBy, openWith(bug), { patienceMs: 3_000 });
    },
  );

  test('the conformance suite of table engines is tried with at least one bug for each sentence', () => {
    expect([...new Set(bugs.map(({ caughtBy }) => caughtBy))].toSorted()).toEqual(
      [...cases.keys()].toSorted(),
    );
  });
});
