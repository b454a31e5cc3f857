import { describe, test } from 'vitest';

/** The services of the test runner that a running case may use. */
export interface CaseContext {
  /**
   * The time limit in milliseconds for events that must happen eventually, such as the end of a
   * query that timed out.
   */
  readonly patienceMs: number;
  /** Ends the case as skipped because the implementation lacks the feature under test. */
  skip(reason: string): never;
}

/**
 * One promise of a port as a sentence, and the program that checks an implementation for it. The
 * program throws if the promise is broken.
 */
export interface ConformanceCase<Open> {
  /** The subject of the sentence, such as `put and delete`. */
  readonly group: string;
  readonly title: string;
  /** Opens its own fixture and disposes it. */
  readonly run: (open: Open, context: CaseContext) => Promise<void>;
}

/** Time limits of the cases of a conformance suite. */
export interface CaseLimits {
  /**
   * The time limit of each test in milliseconds, instead of Vitest's `testTimeout`. Default:
   * 120,000.
   */
  readonly testTimeoutMs?: number;
  /**
   * The time limit within a test for events that must happen eventually, in milliseconds. Default:
   * a quarter of `testTimeoutMs`.
   */
  readonly patienceMs?: number;
}

type AddCase<Open> = (title: string, run: ConformanceCase<Open>['run']) => void;

/** Collects the cases of a group, as Vitest collects the tests within a `describe`. */
export function casesOf<Open>(
  group: string,
  addAll: (test: AddCase<Open>) => void,
): readonly ConformanceCase<Open>[] {
  const cases: ConformanceCase<Open>[] = [];
  addAll((title, run) => cases.push({ group, title, run }));
  return cases;
}

/** Defines a Vitest test for each case, within a `describe` for its group. */
export function describeCases<Open>(
  name: string,
  cases: readonly ConformanceCase<Open>[],
  open: Open,
  { testTimeoutMs = 120_000, patienceMs = testTimeoutMs / 4 }: CaseLimits = {},
): void {
  describe(name, () => {
    for (const [group, ofGroup] of Map.groupBy(cases, (each) => each.group)) {
      describe(group, () => {
        for (const { title, run } of ofGroup) {
          test(
            title,
            (context) => run(open, { patienceMs, skip: (reason) => context.skip(reason) }),
            testTimeoutMs,
          );
        }
      });
    }
  });
}
