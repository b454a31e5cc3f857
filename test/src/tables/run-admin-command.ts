import { runCommand } from '../../../packages/cli/src/run-command.ts';
import type { ControllerOptions, Restreams } from '@quire/controller';
import type { TableEngine } from '@quire/core/table-engine';
import { FakeEnvironment, type FakeOptions } from '../../../packages/cli/test/fake-environment.ts';
import { cannedEngine, cannedRestreams } from '../testkit/canned-tables.ts';
import { TestController } from '../testkit/controller-server.ts';

/**
 * The controller's answers that differ from the canned ones, and the environment of the command.
 */
interface Dependencies {
  readonly engine?: Partial<TableEngine>;
  readonly restreams?: Partial<Restreams>;
  readonly environment?: FakeOptions;
}

export const terminal: FakeOptions = {
  terminal: { columns: 120, rows: 40 },
  variables: { NO_COLOR: '1', QUIRE_TOKEN: 'root-token' },
};

/** Runs a command against a controller of its own; time passes while it waits. */
export async function runAdminCommand(
  args: readonly string[],
  { engine, restreams, environment: given }: Dependencies = {},
) {
  const tables = {
    engine: { ...cannedEngine, ...engine },
    restreams: Object.assign(Object.create(cannedRestreams), restreams),
  } as unknown as ControllerOptions['tables'];
  await using controller = await TestController.start([], { tables });
  const environment = new FakeEnvironment(given ?? { variables: { QUIRE_TOKEN: 'root-token' } });
  const running = runCommand([...args, '--url', controller.address.url], environment);
  const ended = running.then(() => undefined);
  for (let isRunning = true; isRunning;) {
    isRunning = await Promise.race([
      ended.then(() => false),
      environment.clock.untilSleeping().then(() => true),
    ]);
    if (isRunning) await environment.clock.advance(100);
  }
  return {
    exitCode: await running,
    stdout: environment.stdout.text,
    stderr: environment.stderr.text,
  };
}
