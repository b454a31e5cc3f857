import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorKinds, type ErrorCode } from '@quire/core';
import { beforeAll, describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { renderDashboard } from '../../../deploy/grafana/make-dashboard.ts';
import { rows } from '../../../deploy/grafana/panels.ts';
import { temporaryDirectory } from '../testkit/cli-process.ts';
import { describeWithTool, promtool } from '../testkit/toolchain.ts';
import { type ExposedMetrics, readExposedMetrics } from './exposed-metrics.ts';
import { unknownIn } from './expressions.ts';

interface Rule {
  readonly alert?: string;
  readonly record?: string;
  readonly expr: string;
  readonly labels?: { readonly severity: string };
  readonly annotations?: { readonly summary: string; readonly runbook: string };
}
interface Rules {
  readonly groups: readonly { readonly name: string; readonly rules: readonly Rule[] }[];
}
interface RuleTest {
  readonly alert_rule_test: readonly {
    readonly alertname: string;
    readonly exp_alerts: readonly unknown[];
  }[];
}

const deploy = join(import.meta.dirname, '../../../deploy');
const read = (path: string): string => readFileSync(join(deploy, path), 'utf8');
const file = parse(read('prometheus/rules.yaml')) as Rules;
const rules = file.groups.flatMap((group) => group.rules);
const alerts = rules.flatMap((rule) =>
  rule.alert === undefined ? [] : [{ ...rule, alert: rule.alert }],
);
const recorded = new Set(rules.flatMap(({ record }) => (record === undefined ? [] : [record])));
const tests = parse(read('prometheus/rules.test.yaml')) as { readonly tests: readonly RuleTest[] };

describe('metrics that dashboards and rules name', () => {
  let exposed: ExposedMetrics;

  beforeAll(async () => {
    exposed = await readExposedMetrics();
  });

  test('the metrics and labels of each panel of the dashboard are exposed by running servers', () => {
    const unknown = rows.flatMap(({ panels }) =>
      panels.flatMap(({ title, series }) =>
        Object.values(series)
          .flatMap((expr) =>
            unknownIn(expr.replaceAll('$s', 'job=~".+"').replaceAll('$i', '5m'), exposed, recorded),
          )
          .map((each) => `${title}: ${each}`),
      ),
    );
    expect(unknown).toEqual([]);
  });

  test('the metrics and labels of each rule are exposed by running servers', () => {
    const unknown = rules.flatMap(({ alert, record, expr }) =>
      unknownIn(expr, exposed, recorded).map((each) => `${alert ?? record}: ${each}`),
    );
    expect(unknown).toEqual([]);
  });

  test('a metric or a label that no server exposes would be found', () => {
    const expr =
      'sum by (kind) (rate(quire_nothing_total{op="get"}[5m])) > quire_queries_queued{a="b"}';
    expect(unknownIn(expr, exposed, recorded)).toEqual([
      'quire_nothing_total',
      'quire_queries_queued{a}',
    ]);
    expect(unknownIn('sum by (kind) (quire_queries_queued)', exposed, recorded)).toEqual([
      'by (kind)',
    ]);
  });
});

test('the dashboard of the repository is what its script writes', () => {
  expect(read('grafana/quire.json')).toBe(renderDashboard());
});

test('the dashboard gives each panel a place of its own', () => {
  const { panels } = JSON.parse(renderDashboard()) as {
    readonly panels: readonly {
      readonly id: number;
      readonly gridPos: { x: number; y: number; w: number; h: number };
    }[];
  };
  const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, cell) => `${x + (cell % w)},${y + Math.floor(cell / w)}`),
  );
  expect(new Set(cells).size).toBe(cells.length);
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
});

test('each alert has a severity, and a runbook with its meaning, the diagnosis and the remedy', () => {
  for (const { alert, labels, annotations } of alerts) {
    expect([alert, labels?.severity]).toEqual([alert, expect.stringMatching(/^(page|ticket)$/)]);
    expect(annotations?.runbook).toBe(`deploy/runbooks/${alert}.md`);
    const runbook = read(`runbooks/${alert}.md`);
    expect(runbook.match(/^##? .*/gm)).toEqual([
      `# ${alert}`,
      '## Meaning',
      '## Diagnosis',
      '## Remedy',
    ]);
    expect(runbook).toContain(`Severity: \`${labels?.severity}\``);
  }
  const names = alerts.map(({ alert }) => `${alert}.md`).toSorted();
  expect(readdirSync(join(deploy, 'runbooks')).toSorted()).toEqual(names);
});

test('each step of a runbook names the test that executes it or the page that has it, or is said to be untested', () => {
  const root = join(deploy, '..');
  for (const { alert } of alerts) {
    const [, steps = ''] = read(`runbooks/${alert}.md`).split('## Remedy\n');
    for (const [step] of steps.matchAll(/^- .*$/gm)) {
      const tests = Array.from(
        step.matchAll(/`((?:test|packages)\/[\w./-]+)`/g),
        ([, path = '']) => path,
      );
      const isSaid = tests.length > 0 || /\*\*untested\*\*|\]\(/.test(step);
      const missing = tests.filter((path) => !existsSync(join(root, path)));
      expect([alert, step, isSaid, missing]).toEqual([alert, step, true, []]);
    }
  }
});

test('each setting and each page that a runbook names exists', () => {
  const reference = readFileSync(join(deploy, '../config/README.md'), 'utf8');
  const unknown = alerts.flatMap(({ alert }) => {
    const runbook = read(`runbooks/${alert}.md`);
    const settings = [...runbook.matchAll(/`((?:engine|controller|proxy)\.[\w.]+)/g)]
      .map(([, name = '']) => name)
      .filter((name) => !reference.includes(`\`${name}\``) && !reference.includes(`\`${name}.`));
    const links = [...runbook.matchAll(/\]\(([^)#]+)/g)]
      .map(([, path = '']) => path)
      .filter((path) => !existsSync(join(deploy, 'runbooks', path)));
    return [...settings, ...links].map((each) => `${alert}: ${each}`);
  });
  expect(unknown).toEqual([]);
});

test('faults of the system that count against the objective of queries are codes of such kinds', () => {
  const [, list = ''] =
    /outcome=~"([^"]+)"/.exec(
      rules.find(({ record }) => record === 'quire:query_faults:ratio_rate5m')?.expr ?? '',
    ) ?? [];
  const kinds = list.split('|').map((code) => errorKinds[code as ErrorCode]);
  expect(kinds.filter((kind) => !['unavailable', 'corrupt', 'internal'].includes(kind))).toEqual(
    [],
  );
  expect(kinds.length).toBeGreaterThan(5);
});

describeWithTool(promtool, 'rules of Prometheus', (program) => {
  const run = (...args: readonly string[]) => spawnSync(program, args, { encoding: 'utf8' });

  test('rules of Prometheus are valid, and fire and keep quiet as their tests say', () => {
    const folder = join(deploy, 'prometheus');
    const checked = run('check', 'rules', '--lint=all', '--lint-fatal', join(folder, 'rules.yaml'));
    expect([checked.status, checked.stderr]).toEqual([0, '']);
    const tested = run('test', 'rules', join(folder, 'rules.test.yaml'));
    expect([tested.status, tested.stderr]).toEqual([0, '']);
  });

  test('each alert has a test that fires it, and one that does not', () => {
    const cases = tests.tests.flatMap((each) => each.alert_rule_test);
    for (const { alert } of alerts) {
      const own = cases.filter(({ alertname }) => alertname === alert);
      const counts = new Set(own.map(({ exp_alerts }) => exp_alerts.length));
      expect([alert, counts]).toEqual([alert, new Set([1, 0])]);
    }
  });

  test('the tests of each alert fail when it never fires, and when it always does', async () => {
    await using directory = await temporaryDirectory();
    const path = join(directory.path, 'rules.test.yaml');
    await writeFile(path, read('prometheus/rules.test.yaml'));
    const failedWith = async (expr: string): Promise<readonly string[]> => {
      await writeFile(join(directory.path, 'rules.yaml'), stringify(withAlerts(expr)));
      // The name of a second test of an alert continues after that of the first.
      const names = run('test', 'rules', path).stderr.matchAll(
        /^ *name: (\w+ (?:fires|is quiet)).*,$/gm,
      );
      return [...new Set(Array.from(names, ([, name = '']) => name))];
    };
    const named = (what: string) => alerts.map(({ alert }) => `${alert} ${what}`);
    expect(await failedWith('vector(0) > 1')).toEqual(named('fires'));
    expect(await failedWith('vector(1)')).toEqual(expect.arrayContaining(named('is quiet')));
  });
});

/**
 * The rules with an expression in place of each, and without the texts of alerts: recording values
 * and writing texts take about half of Prometheus' time.
 */
function withAlerts(expr: string): Rules {
  const groups = file.groups.map((group) => ({
    ...group,
    rules: group.rules.map(({ annotations: _texts, ...rule }) => ({
      ...rule,
      expr,
      ...(rule.alert === undefined ? {} : { for: '0m' }),
    })),
  }));
  return { groups };
}
