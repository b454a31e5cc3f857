import { type Command, InvalidArgumentError } from '@commander-js/extra-typings';
import type { Environment } from '../environment.ts';
import { readSettings, settingsRequestOf, withSettingsOptions } from '../settings-options.ts';
import { renderWelcome } from '../start/welcome.ts';
import { StopRequests } from '../start/stop-requests.ts';

const rolesToCome = ['proxy', 'controller'];

/** Adds `quire start`. */
export function addStartCommand(program: Command, environment: Environment): void {
  withSettingsOptions(program.command('start'))
    .summary('run a server until it is told to stop')
    .description(
      'Run a server until Ctrl-C or SIGTERM, which let calls under way finish; a second one stops at once. ' +
        'Its addresses go to standard output, its log to standard error.',
    )
    .option(
      '-r, --roles <roles>',
      'what to run, with commas between; for now there is only the broker, which is the default',
      parseRoles,
    )
    .action(async (options) => {
      // Loaded here, so that the other commands start without a database and an HTTP server.
      const { createLogger } = await import('../start/create-logger.ts');
      const { runBroker } = await import('../start/run-broker.ts');
      const { LiveSettings } = await import('../start/live-settings.ts');
      const { settings } = await readSettings(options, environment);
      const logger = createLogger(settings.observability, environment);
      const request = settingsRequestOf(options, environment);
      using stop = new StopRequests(environment);
      await using live = await LiveSettings.open({ request, settings, clock: environment.clock, logger });
      await stop.orSecond(
        runBroker(live, {
          environment,
          logger,
          onListening: (running) => environment.stdout.write(renderWelcome(running, environment)),
          untilStop: stop.first,
          stopAtOnce: stop.atOnce,
        }),
      );
    });
}

function parseRoles(text: string): readonly string[] {
  const roles = text.split(',').map((role) => role.trim());
  for (const role of roles) {
    if (rolesToCome.includes(role)) throw new InvalidArgumentError(`The ${role} is not built yet; there is only the broker.`);
    if (role === 'cleaner') {
      throw new InvalidArgumentError(
        "Every broker cleans up after itself; for a store's other brokers there is the command 'cleaner'.",
      );
    }
    if (role !== 'broker') throw new InvalidArgumentError(`There is no role '${role}'; expected broker.`);
  }
  return roles;
}
