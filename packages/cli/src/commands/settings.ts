import { type Command, Option } from '@commander-js/extra-typings';
import type { SettingInForce } from '@quire/client';
import type { Environment } from '../environment.ts';
import { abortOnInterrupt } from '../interrupt.ts';
import { createAdminClient, type ServerOptions, withControllerOptions } from '../server-options.ts';
import { readSettings, type SettingsOptions, withSettingsOptions } from '../settings-options.ts';
import { withListOptions, writeRecords } from '../write-records.ts';

const columns = ['setting', 'value', 'source'].map((name) => ({ name, dataType: 'STRING' }));

const examples = `
Examples:
  $ quire settings -c quire.properties --changed
  $ quire settings --running --url http://controller:9000
  $ quire settings --running --broker http://broker-1:8099`;

/** Adds `quire settings`. */
export function addSettingsCommand(program: Command, environment: Environment): void {
  withListOptions(withControllerOptions(withSettingsOptions(program.command('settings'))))
    .summary('print all settings with their values and sources')
    .description(
      'Print the settings that a server would use, or those of a running one, with the source of each value. Secrets are not shown. ' +
        'In a pipe: lines of setting, value and source, with tabs between.',
    )
    .addOption(
      new Option('--running', 'ask a running controller for its settings (admins)').conflicts([
        'config',
        'set',
      ]),
    )
    .option('--broker <address>', 'with --running: those of this broker of the controller')
    .option('--changed', 'only settings that differ from their default')
    .option('--reference', 'print the reference of all settings instead, as Markdown')
    .addHelpText('after', examples)
    .action(async (options, command) => {
      if (options.reference === true) {
        const { renderReference } = await import('@quire/settings');
        return environment.stdout.write(renderReference());
      }
      const caller = options.url ?? options.token ?? options.user ?? options.broker;
      if (options.running !== true && caller !== undefined) {
        command.error('error: --url, --token, --user and --broker are for --running');
      }
      const settings =
        options.running === true
          ? await readRunning(options, environment)
          : await readConfigured(options, environment);
      const toCells = ({ key, value, source }: Omit<SettingInForce, 'isDefault'>) => [
        key,
        value,
        source,
      ];
      await writeRecords(
        {
          columns,
          plainNames: columns.map(({ name }) => name),
          items: settings
            .filter(({ isDefault }) => options.changed !== true || !isDefault)
            .map(({ isDefault: _, ...setting }) => setting),
          shown: toCells,
          plain: toCells,
          emptyText: 'every setting has its default',
          // Values are not truncated, because a partial value would be useless.
          widthMax: Number.POSITIVE_INFINITY,
        },
        options,
        environment,
      );
    });
}

async function readRunning(
  options: ServerOptions & { readonly broker?: string | undefined },
  environment: Environment,
): Promise<readonly SettingInForce[]> {
  using interrupt = abortOnInterrupt(environment);
  const { broker } = options;
  return await createAdminClient(options, environment).readSettings({
    broker,
    signal: interrupt.signal,
  });
}

async function readConfigured(
  options: SettingsOptions,
  environment: Environment,
): Promise<readonly SettingInForce[]> {
  const { formatSettingSource } = await import('@quire/settings');
  const { view } = await readSettings(options, environment);
  return view.map(({ key, value, source }) => ({
    key,
    value,
    source: formatSettingSource(source),
    isDefault: source.kind === 'default',
  }));
}
