import { isQuireError, parseDurationMs, QuireError } from '@quire/core';
import { parseTableConfig } from '@quire/tables';
import type { TableConfigDocument } from '@quire/core/table-engine';
import type { Aggregation, MergeMode } from './task-plan.ts';

type Options = Readonly<Record<string, string>>;

/**
 * Returns the options of a task type in a table's config, as texts; undefined if the config has no
 * such tasks.
 */
export function taskOptionsOf(config: TableConfigDocument, taskType: string): Options | undefined {
  const options = parseTableConfig(config).config.task?.taskTypeConfigsMap?.[taskType];
  return typeof options === 'object' && options !== null ? textsOf(options) : undefined;
}

export function textsOf(options: object): Options {
  return Object.fromEntries(
    Object.entries(options).flatMap(([name, value]) =>
      value === null || value === undefined ? [] : [[name, String(value)]],
    ),
  );
}

/** @throws TABLE_INVALID */
export function periodOf(options: Options, name: string, fallback?: string): number {
  const text = options[name] ?? fallback;
  if (text === undefined) throw invalid(name, 'It is missing; expected a period such as 1d.');
  try {
    const ms = parseDurationMs(text);
    if (ms > 0 || (ms === 0 && name.endsWith('bufferTimePeriod'))) return ms;
  } catch (error) {
    if (!isQuireError(error)) throw error;
  }
  throw invalid(name, `‘${text.slice(0, 100)}’ is not a period; expected for example 1d.`);
}

/** @throws TABLE_INVALID */
export function countOf(options: Options, name: string, fallback: number): number {
  const text = options[name];
  if (text === undefined) return fallback;
  if (/^\d{1,15}$/.test(text) && Number(text) >= 1) return Number(text);
  throw invalid(
    name,
    `‘${text.slice(0, 100)}’ is not a count; expected a whole number of at least 1.`,
  );
}

/** @throws TABLE_INVALID */
export function mergeModeOf(options: Options, name: string): MergeMode {
  const mode = (options[name] ?? 'concat').toLowerCase();
  if (mode === 'concat' || mode === 'dedup' || mode === 'rollup') return mode;
  throw invalid(
    name,
    `‘${mode.slice(0, 100)}’ is not a merge type; expected concat, dedup or rollup.`,
  );
}

/** Parses `<column>.aggregationType` for all columns. @throws TABLE_INVALID */
export function aggregationsOf(options: Options): Readonly<Record<string, Aggregation>> {
  const suffix = '.aggregationType';
  return Object.fromEntries(
    Object.entries(options).flatMap(([name, text]) => {
      if (!name.endsWith(suffix)) return [];
      const aggregation = text.toLowerCase();
      if (aggregation === 'sum' || aggregation === 'min' || aggregation === 'max') {
        return [[name.slice(0, -suffix.length), aggregation]];
      }
      throw invalid(
        name,
        `‘${text.slice(0, 100)}’ is not supported here; expected sum, min or max.`,
      );
    }),
  );
}

/** Creates the error for an option, TABLE_INVALID with a finding. */
export function invalid(name: string, message: string): QuireError {
  const finding = { path: `/${name}`, code: 'TASK_CONFIG', message, severity: 'error' as const };
  return new QuireError(
    'TABLE_INVALID',
    `The config of the task is not valid: ${name}: ${message}`,
    { findings: [finding] },
  );
}
