import { Option } from '@commander-js/extra-typings';

/** `--formulas escape`, for CSV that goes into a spreadsheet. */
export function formulasOption() {
  const text =
    'with csv: escape texts that a spreadsheet would run as formulas; without it every text is as it is';
  return new Option('--formulas <how>', text).choices(['escape'] as const);
}

export const formulasWithoutCsv = 'error: --formulas is for CSV: give --format csv as well';
