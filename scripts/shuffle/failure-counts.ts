import { readFile } from 'node:fs/promises';
import { relative } from 'node:path';

/** One run of all tests in the order of a seed. */
export interface Round {
  readonly seed: number;
  readonly summary: string;
  readonly failures: readonly Failure[];
}

interface Failure {
  /** The file and the full name of the test, or the file alone if it did not load. */
  readonly test: string;
  readonly message: string;
}

/** The part of the output of Vitest's JSON reporter that is read here. */
interface Report {
  readonly numPassedTests: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message: string;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      readonly failureMessages: readonly string[];
    }[];
  }[];
}

const messageCharsMax = 600;

/**
 * Reads the report of a round; an exit code other than 0 without a failed test is a failure as
 * well.
 */
export async function readRound({
  seed,
  seconds,
  exitCode,
  report,
  output,
}: {
  readonly seed: number;
  readonly seconds: number;
  readonly exitCode: number | null;
  readonly report: string;
  readonly output: string;
}): Promise<Round> {
  const text = await readFile(report, 'utf8').catch(() => undefined);
  const { numPassedTests, testResults }: Report =
    text === undefined ? { numPassedTests: 0, testResults: [] } : (JSON.parse(text) as Report);
  const failures = testResults.flatMap((file) => {
    const path = relative(process.cwd(), file.name);
    const tests = file.assertionResults
      .filter(({ status }) => status === 'failed')
      .map(({ fullName, failureMessages }) => ({
        test: `${path} > ${fullName}`,
        message: shorten(failureMessages.join('\n')),
      }));
    if (tests.length > 0 || file.status !== 'failed') return tests;
    return [{ test: path, message: shorten(file.message) }];
  });
  if (exitCode !== 0 && failures.length === 0) {
    failures.push({ test: 'vitest itself', message: output.slice(-messageCharsMax) });
  }
  const counts = `${numPassedTests} passed, ${failures.length} failed`;
  return { seed, summary: `seed ${seed}, ${counts}, ${seconds} s`, failures };
}

/** Failures of several rounds by test. */
export class FailureCounts {
  #roundCount = 0;
  readonly #seedsByTest = new Map<string, number[]>();

  /** Failures of all tests in all rounds. */
  get failureCount(): number {
    return this.#seedsByTest.values().reduce((sum, seeds) => sum + seeds.length, 0);
  }

  add({ seed, failures }: Round): void {
    this.#roundCount += 1;
    for (const { test } of failures) {
      this.#seedsByTest.set(test, [...(this.#seedsByTest.get(test) ?? []), seed]);
    }
  }

  /** Returns a line for each failed test, most frequent first, and a line of totals. */
  render(): string {
    const lines = [...this.#seedsByTest]
      .toSorted(([, one], [, other]) => other.length - one.length)
      .map(([test, seeds]) => `${seeds.length} × ${test} (seeds ${seeds.join(', ')})`);
    lines.push(
      `${this.#roundCount} rounds, ${this.failureCount} failures of ${lines.length} tests`,
    );
    return lines.join('\n');
  }
}

function shorten(message: string): string {
  return message.length > messageCharsMax ? `${message.slice(0, messageCharsMax)}…` : message;
}
