import { readConsoleFiles } from '@quire/console';
import type { ControllerOptions } from '@quire/controller';
import { createProxy } from '@quire/proxy';
import type { Gate } from './gate.ts';
import type { LiveSettings } from './live-settings.ts';
import { proxyOptionsOf } from './proxy-options.ts';
import type { RoleRun } from './role-run.ts';

interface ConsoleSurroundings extends Pick<RoleRun, 'environment' | 'logger'> {
  readonly gate: Gate;
  readonly brokers: () => readonly string[];
  readonly certificateAuthorities: string | undefined;
}

/**
 * What a controller needs for the console: its files, and what answers its queries, a proxy in front of the controller's own brokers. It
 * lets in whom the controller knows; what they may do is for the broker to say, and for nobody else. Empty where the settings want no
 * console, or this clone has not built it.
 */
export async function openConsole(
  live: LiveSettings,
  surroundings: ConsoleSurroundings,
): Promise<Pick<ControllerOptions, 'console' | 'queries'>> {
  if (!live.current.controller.consoleEnabled) return {};
  const files = await readConsoleFiles();
  if (files === undefined) {
    surroundings.logger.warn('there is no console: it is not built; run `npm run console` first');
    return {};
  }
  const queries = createProxy(
    proxyOptionsOf(live, {
      ...surroundings,
      brokersName: () => undefined,
      authMode: 'check',
      port: 0, // it is mounted, and listens nowhere
    }),
  );
  return { console: { files, hasQuickstartTokens: surroundings.gate.usesQuickstartTokens }, queries };
}
