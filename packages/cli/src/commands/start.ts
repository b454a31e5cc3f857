import { type Command, InvalidArgumentError } from '@commander-js/extra-typings';
import type { Environment } from '../environment.ts';
import { readSettings, settingsRequestOf, withSettingsOptions } from '../settings-options.ts';
import { renderWelcome } from '../welcome.ts';
import { isRole, type Role, roles, rolesByDefault } from '@quire/server/roles';
import { StopRequests } from '../stop-requests.ts';

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
      `what to run in this process, with commas between: ${roles.join(', ')} (default: ${rolesByDefault.join(',')})`,
      parseRoles,
    )
    .action(async (options) => {
      // Loaded here, so that the other commands start without a database and an HTTP server.
      const { createLogger } = await import('../create-logger.ts');
      const { LiveSettings, runRoles } = await import('@quire/server');
      const { settings, view } = await readSettings(options, environment);
      const logger = createLogger(settings.observability, environment);
      const request = settingsRequestOf(options, environment);
      using stop = new StopRequests(environment);
      await using live = await LiveSettings.open({
        request,
        settings,
        view,
        clock: environment.clock,
        logger,
      });
      await stop.orSecond(
        runRoles(live, {
          roles: options.roles ?? new Set(rolesByDefault),
          areRolesByDefault: options.roles === undefined,
          environment,
          logger,
          onReady: (running) =>
            environment.stdout.write(renderWelcome(running, settings, environment)),
          untilStop: stop.first,
          stopAtOnce: stop.atOnce,
        }),
      );
    });
}

function parseRoles(text: string): ReadonlySet<Role> {
  const parsed = new Set<Role>();
  for (const role of text.split(',').map((name) => name.trim())) {
    if (!isRole(role)) {
      throw new InvalidArgumentError(
        `There is no role '${role}'; expected some of ${roles.join(', ')}.`,
      );
    }
    parsed.add(role);
  }
  return parsed;
}
