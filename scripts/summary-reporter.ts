import { writeFileSync } from 'node:fs';
import type { SerializedError } from 'vitest';
import type { Reporter, TestCase, TestModule } from 'vitest/node';

/**
 * Ends a test run with the tests skipped, the processor time of each project and a line of counts.
 * `QUIRE_TEST_TIMES` names a file that receives one line for each file of tests: its processor time
 * and its duration in seconds, its project and its path.
 */
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
    process.stdout.write(`${renderProcessorTimes(modules)}\n`);
    process.stdout.write(
      `${inState('passed').length} passed, ${failedCount} failed, ${skipped.length} skipped\n`,
    );
  }
}

/** The seconds of processor time of each project, the most expensive first. */
function renderProcessorTimes(modules: readonly TestModule[]): string {
  const msByProject = new Map<string, number>();
  for (const module of modules) {
    const { name } = module.project;
    msByProject.set(name, (msByProject.get(name) ?? 0) + processorTimeMs(module));
  }
  const projects = [...msByProject].toSorted(([, one], [, other]) => other - one);
  const times = projects.map(([name, ms]) => `${name} ${Math.round(ms / 1000)} s`);
  writeTimes(modules);
  return `processor time: ${times.join(', ')}`;
}

function writeTimes(modules: readonly TestModule[]): void {
  const path = process.env['QUIRE_TEST_TIMES'];
  if (path === undefined) return;
  const lines = modules
    .toSorted((one, other) => processorTimeMs(other) - processorTimeMs(one))
    .map((module) => {
      const seconds = [processorTimeMs(module), module.diagnostic().duration].map((ms) =>
        (ms / 1000).toFixed(2),
      );
      return `${[...seconds, module.project.name, module.relativeModuleId].join('\t')}\n`;
    });
  writeFileSync(path, lines.join(''));
}

function processorTimeMs(module: TestModule): number {
  return module.meta().processorTimeMs ?? 0;
}
