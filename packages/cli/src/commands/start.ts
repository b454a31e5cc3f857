import { type Command, InvalidArgumentError } from '@commander-js/extra-typings';
import type { Environment } from '../environment.ts';
import { runServer } from '../run-server.ts';
import { withSettingsOptions } from '../settings-options.ts';
import { writeWelcome } from '../welcome.ts';
import { isRole, type Role, roles, rolesByDefault } from '@quire/server/roles';

/** Adds `quire start`. */
export function addStartCommand(program: Command, environment: Environment): void {
  withSettingsOptions(program.command('start'))
    .summary('run a server until it is stopped')
    .description(
      'Run a server until Ctrl-C or SIGTERM, which let running calls finish; a second one stops at once. ' +
        'Its addresses go to standard output, its log to standard error.',
    )
    .option(
      '-r, --roles <roles>',
      `roles to run in this process, separated by commas: ${roles.join(', ')} (default: ${rolesByDefault.join(',')})`,
      parseRoles,
    )
    .action(async (options) => {
      await runServer(options, environment, {
        roles: options.roles,
        onReady: async (quire) => writeWelcome(quire, environment),
      });
    });
}

function parseRoles(text: string): readonly Role[] {
  const parsed = new Set<Role>();
  for (const role of text.split(',').map((name) => name.trim())) {
    if (!isRole(role)) {
      throw new InvalidArgumentError(
        `There is no role '${role}'; expected one or more of ${roles.join(', ')}.`,
      );
    }
    parsed.add(role);
  }
  return [...parsed];
}
