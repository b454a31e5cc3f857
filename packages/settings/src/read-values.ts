import type { Assignment } from './assignment.ts';
import {
  findFixed,
  findNamed,
  fixedSettings,
  namedGroups,
  type NamedGroup,
  namedSettings,
} from './known-keys.ts';
import { badValue, faultAt, secretMark, type SettingProblem, showable } from './setting-problem.ts';
import type { SettingRow } from '@quire/core/settings';
import type { SettingSource } from './setting-source.ts';
import { nameKinds, type Settings } from './setting-table.ts';
import { deepFreeze, setValue, type ValueTree } from './value-tree.ts';
import { variableOf } from './environment.ts';

/** A setting as text for display: secrets are `(secret)`, unset values are empty. */
export interface SettingView {
  readonly key: string;
  readonly value: string;
  readonly source: SettingSource;
  /** True if a change of the file takes effect without a restart. */
  readonly isLive: boolean;
}

/** The values of all settings, which are complete and valid only if there are no problems. */
export interface ValueReading {
  readonly settings: Settings;
  readonly view: readonly SettingView[];
  readonly problems: readonly SettingProblem[];
}

/** Converts the given texts, and the defaults of all other settings, into values. */
export function readValues(assignments: readonly Assignment[]): ValueReading {
  const reader = new ValueReader(assignments);
  const groups: ValueTree = {};
  for (const { path, row } of fixedSettings) setValue(groups, path, reader.read(row, row.key));
  for (const group of namedGroups) groups[group] = readNamedGroup(group, assignments, reader);
  // The only place where the types of the table meet the values read by its rows, row by row and
  // name by name.
  return {
    settings: deepFreeze(groups) as unknown as Settings,
    view: reader.view,
    problems: reader.problems,
  };
}

function readNamedGroup(
  group: NamedGroup,
  assignments: readonly Assignment[],
  reader: ValueReader,
): unknown[] {
  const firstUses = new Map<string, Assignment>();
  for (const assignment of assignments) {
    const found = findNamed(assignment.key);
    if (found?.known.group === group && !firstUses.has(found.name)) {
      firstUses.set(found.name, assignment);
    }
  }
  const spellings = new Map<string, string>();
  const elements: unknown[] = [];
  for (const [name, use] of firstUses) {
    const other = spellings.get(variableOf(name));
    if (nameKinds[group].parse(name, '') === undefined) {
      reader.problems.push(
        faultAt(
          use.key,
          use.source,
          `${showable(name)} is not allowed in this key: expected ${nameKinds[group].allowed}`,
        ),
      );
    } else if (other !== undefined) {
      reader.problems.push(
        faultAt(
          use.key,
          use.source,
          `the name ${name} is too similar to ${other}: only case, dashes and underscores differ`,
        ),
      );
    } else {
      spellings.set(variableOf(name), name);
      elements.push(readNamed(group, name, use, reader));
    }
  }
  return elements;
}

function readNamed(
  group: NamedGroup,
  name: string,
  use: Assignment,
  reader: ValueReader,
): Record<string, unknown> {
  const values: Record<string, unknown> = { name };
  for (const { property, row, prefix, suffix, group: itsGroup } of namedSettings) {
    if (itsGroup === group) values[property] = reader.read(row, prefix + name + suffix, use);
  }
  return values;
}

class ValueReader {
  readonly view: SettingView[] = [];
  readonly problems: SettingProblem[] = [];
  readonly #given: ReadonlyMap<string, Assignment>;

  constructor(assignments: readonly Assignment[]) {
    this.#given = new Map(assignments.map((assignment) => [assignment.key, assignment]));
  }

  /**
   * Returns the value of one setting: the given one or the default; undefined if there is none or
   * it is a problem.
   */
  read(row: SettingRow<unknown>, key: string, use?: Assignment): unknown {
    const given = this.#given.get(key) ?? this.#defaultOf(row, key);
    if (given === undefined && row.required && use !== undefined) {
      this.problems.push(faultAt(key, use.source, `must be set, because ${use.key} is`));
    }
    const isUnset =
      given === undefined || (given.text === '' && row.default === undefined && !row.required);
    const value = isUnset ? undefined : row.kind.parse(given.text, given.baseDir);
    // An invalid default was copied from another setting, which has its own problem.
    if (!isUnset && value === undefined && given.source.kind !== 'default') {
      this.problems.push(
        badValue(key, row.secret ? secretMark : given.text, row.kind.allowed, given.source),
      );
    }
    const shown = value === undefined ? '' : row.secret ? secretMark : row.kind.format(value);
    this.view.push({
      key,
      value: shown,
      source: given?.source ?? { kind: 'default' },
      isLive: row.live,
    });
    return value;
  }

  #defaultOf(row: SettingRow<unknown>, key: string): Assignment | undefined {
    if (row.default === undefined) return undefined;
    if (typeof row.default === 'string') {
      return { key, text: row.default, source: { kind: 'default' }, baseDir: '/' };
    }
    const other = findFixed(row.default.of);
    const given =
      this.#given.get(row.default.of) ?? (other && this.#defaultOf(other.row, row.default.of));
    return given && { ...given, key, source: { kind: 'default' } };
  }
}
