import { Option } from '@commander-js/extra-typings';
import { isPageFormatName, pageFormats } from '@quire/core/wire';

/** Returns the option `--formulas escape`, for CSV that is opened in a spreadsheet. */
export function formulasOption() {
  const text =
    'with csv: escape texts that a spreadsheet would run as formulas; by default texts are unchanged';
  return new Option('--formulas <how>', text).choices(['escape'] as const);
}

/**
 * Returns the problem of the options of a format, checked before anything is done; undefined if
 * there is none.
 */
export function formatProblem(
  format: string | undefined,
  formulas: 'escape' | undefined,
  toTerminal: boolean,
): string | undefined {
  if (formulas !== undefined && format !== 'csv') {
    return 'error: --formulas is for CSV: give --format csv as well';
  }
  if (!toTerminal || format === undefined || !isPageFormatName(format)) return undefined;
  const { isText, title } = pageFormats[format];
  return isText ? undefined : `error: ${title} is binary: send it to a file or a pipe`;
}
