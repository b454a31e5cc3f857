import type { SerializedError } from 'vitest';
import type { Reporter, TestCase, TestModule } from 'vitest/node';

/** Ends a test run with what was skipped and one plain line of counts. */
export class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly SerializedError[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const inState = (state: string): TestCase[] =>
      tests.filter((test) => test.result().state === state);
    const brokenModules = modules.filter((module) => module.errors().length > 0);

    const skipped = inState('skipped');
    const failedCount = inState('failed').length + brokenModules.length + unhandledErrors.length;
    process.stdout.write(
      `${skipped.map((test) => `skipped: ${test.module.relativeModuleId} > ${test.fullName}\n`).join('')}`,
    );
    process.stdout.write(
      `${inState('passed').length} passed, ${failedCount} failed, ${skipped.length} skipped\n`,
    );
  }
}
