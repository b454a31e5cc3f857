import { dirname, resolve } from 'node:path';
import { nearestVariable, readEnvironment } from './environment.ts';
import { findFixed, findNamed, nearestKey } from './known-keys.ts';
import { parseProperties } from './properties.ts';
import { faultAt, type SettingProblem } from './setting-problem.ts';
import type { SettingSource } from './setting-source.ts';
import type { SettingsInput } from './settings-input.ts';

/** A known key with its text and the source of that text. */
export interface Assignment {
  readonly key: string;
  readonly text: string;
  readonly source: SettingSource;
  /** The directory that relative paths in the text are resolved against. */
  readonly baseDir: string;
}

/** The assignments and problems from one source of settings. */
interface Layer {
  readonly assignments: readonly Assignment[];
  readonly problems: readonly SettingProblem[];
}

/**
 * Returns one assignment for each key: overrides take precedence over the environment, and that
 * over the file.
 */
export function collectAssignments(input: SettingsInput): Layer {
  const file = input.file === undefined ? nothing : readFileLayer(input.file, input.workingDir);
  const overrides = readOverrideLayer(input.overrides, input.workingDir);
  const environment = readEnvironmentLayer(input, [...file.assignments, ...overrides.assignments]);
  const layers = [file, environment, overrides];
  const byKey = new Map(
    layers.flatMap((layer) => layer.assignments).map((assignment) => [assignment.key, assignment]),
  );
  return { assignments: [...byKey.values()], problems: layers.flatMap((layer) => layer.problems) };
}

const nothing: Layer = { assignments: [], problems: [] };

function readFileLayer(
  file: { readonly path: string; readonly text: string },
  workingDir: string,
): Layer {
  const baseDir = dirname(resolve(workingDir, file.path));
  const { properties, faults } = parseProperties(file.text);
  const sourceOf = (line: number): SettingSource => ({ kind: 'file', path: file.path, line });
  const problems = faults.map(({ line, message }) => faultAt(undefined, sourceOf(line), message));
  const assignments: Assignment[] = [];
  const lineOfKey = new Map<string, number>();
  for (const { key, value, line } of properties) {
    const firstLine = lineOfKey.get(key);
    if (!isKnown(key)) problems.push(unknownKey(key, sourceOf(line)));
    else if (firstLine !== undefined) {
      problems.push(faultAt(key, sourceOf(line), `already set on line ${firstLine}`));
    } else assignments.push({ key, text: value.trim(), source: sourceOf(line), baseDir });
    lineOfKey.set(key, firstLine ?? line);
  }
  return { assignments, problems };
}

function readOverrideLayer(overrides: readonly string[], baseDir: string): Layer {
  const source: SettingSource = { kind: 'override' };
  const assignments: Assignment[] = [];
  const problems: SettingProblem[] = [];
  for (const override of overrides) {
    const separator = override.indexOf('=');
    const key = override.slice(0, Math.max(0, separator)).trim();
    if (separator < 0) problems.push(faultAt(undefined, source, 'expected key=value'));
    else if (!isKnown(key)) problems.push(unknownKey(key, source));
    else assignments.push({ key, text: override.slice(separator + 1).trim(), source, baseDir });
  }
  return { assignments, problems };
}

function readEnvironmentLayer(input: SettingsInput, others: readonly Assignment[]): Layer {
  const { settings, strays } = readEnvironment(
    input.environment,
    others.map(({ key }) => key),
  );
  const assignments = settings.map(({ key, text, variable }): Assignment => {
    return {
      key,
      text: text.trim(),
      source: { kind: 'environment', variable },
      baseDir: input.workingDir,
    };
  });
  // A variable that holds a token or password, named by another setting, is not itself a setting.
  const variablesWithSecrets = new Set(
    [...others, ...assignments].filter(({ key }) => key.endsWith('.env')).map(({ text }) => text),
  );
  const problems = strays
    .filter((variable) => !variablesWithSecrets.has(variable))
    .map((variable) =>
      faultAt(
        undefined,
        { kind: 'environment', variable },
        `no such setting; the nearest is ${nearestVariable(variable)}`,
      ),
    );
  return { assignments, problems };
}

function isKnown(key: string): boolean {
  return findFixed(key) !== undefined || findNamed(key) !== undefined;
}

/**
 * Reports an unknown key; shows it only if it looks like one, because a misplaced line may be a
 * secret. The value is never shown.
 */
function unknownKey(key: string, source: SettingSource): SettingProblem {
  const looksLikeKey = key.length <= 120 && /^[A-Za-z][\w-]*(?:\.[\w<>-]+)+$/.test(key);
  if (!looksLikeKey) {
    return faultAt(undefined, source, 'expected key = value, with a key such as engine.bind.host');
  }
  return faultAt(key, source, `no such setting; the nearest is ${nearestKey(key)}`);
}
