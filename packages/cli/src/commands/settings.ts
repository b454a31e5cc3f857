import type { Command } from '@commander-js/extra-typings';
import { formatSettingSource, renderReference, type SettingView } from '@quire/settings';
import type { Environment } from '../environment.ts';
import { tabbedRow } from '../row-lines.ts';
import { readSettings, withSettingsOptions } from '../settings-options.ts';
import { stylesFor } from '../styles.ts';
import { layOutTable } from '../table/text-table.ts';

const columns = ['setting', 'value', 'source'].map((name) => ({ name, dataType: 'STRING' }));

/** Adds `quire settings`. */
export function addSettingsCommand(program: Command, environment: Environment): void {
  withSettingsOptions(program.command('settings'))
    .summary('print all settings, with their values and where these come from')
    .description(
      'Print the settings that a server would run with, and where each value comes from. Secrets are not shown. ' +
        'In a pipe: lines of setting, value and source, with tabs between.',
    )
    .option('--changed', 'only settings that differ from their default')
    .option('--json', 'one JSON object per line')
    .option('--reference', 'print what all settings mean instead, as Markdown')
    .action(async (options) => {
      const { stdout } = environment;
      if (options.reference === true) return stdout.write(renderReference());
      const { view } = await readSettings(options, environment);
      const shown =
        options.changed === true
          ? view.filter((setting) => setting.source.kind !== 'default')
          : view;
      const rows = shown.map(({ key, value, source }) => [key, value, formatSettingSource(source)]);
      if (options.json === true) {
        return stdout.write(shown.map((setting) => jsonLine(setting)).join(''));
      }
      if (!stdout.isTerminal) return stdout.write(rows.map((row) => tabbedRow(row)).join(''));
      const styles = stylesFor(stdout, environment.variables);
      // Nothing is cut: a value that is only half there is of no use.
      const table = layOutTable(columns, rows, { widthMax: Number.POSITIVE_INFINITY, styles });
      return stdout.write([...table.header, ...table.lines, ''].join('\n'));
    });
}

function jsonLine({ key, value, source }: SettingView): string {
  return `${JSON.stringify({ key, value, source: formatSettingSource(source) })}\n`;
}
