import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { type ConsoleStage, runQuery } from './console-stage.ts';

interface AxeResult {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

const axeSource = await readFile(
  createRequire(import.meta.url).resolve('axe-core/axe.min.js'),
  'utf8',
);

/**
 * Returns the accessibility violations of the current page, by axe-core. The page's security policy
 * does not apply to the test's own script.
 */
async function violationsOf(page: Page, runOnly?: readonly string[]): Promise<readonly string[]> {
  if (!(await page.evaluate<boolean>(`'axe' in globalThis`))) await page.evaluate(axeSource);
  const options = { resultTypes: ['violations'], ...(runOnly === undefined ? {} : { runOnly }) };
  const violations = await page.evaluate(async (given) => {
    const { axe } = globalThis as unknown as {
      readonly axe: { run: (given: object) => Promise<{ violations: readonly AxeResult[] }> };
    };
    return (await axe.run(given)).violations;
  }, options);
  return violations.flatMap(({ id, nodes }) =>
    nodes.slice(0, 3).map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary ?? ''}`),
  );
}

/** The rules that colours and widths decide; all others see the same elements in every look. */
const visualRules = [
  'color-contrast',
  'link-in-text-block',
  'scrollable-region-focusable',
  'target-size',
];

/**
 * Both themes and both widths; a defect of one of the other two pairs is a defect of one of these.
 */
const looks = [
  { colorScheme: 'light', width: 1280 },
  { colorScheme: 'dark', width: 390, runOnly: visualRules },
] as const;

async function expectNoViolations(page: Page, what: string): Promise<void> {
  for (const { colorScheme, width, ...more } of looks) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 800 });
    const violations = await violationsOf(page, 'runOnly' in more ? more.runOnly : undefined);
    expect([what, colorScheme, ...violations]).toEqual([what, colorScheme]);
  }
  await page.emulateMedia({ colorScheme: null });
  await page.setViewportSize({ width: 1280, height: 800 });
}

/** Removes all calls but one from a page about the API: axe takes a minute for a hundred alike. */
async function keepOneCall(page: Page): Promise<void> {
  await page.locator('#readCaller').waitFor();
  await page
    .locator('article:not(#readCaller)')
    .evaluateAll((articles) => articles.forEach((article) => article.remove()));
}

/** Runs axe on every page, and on its menus, dialogs and plots. */
export function testAccessibility(stageOf: () => ConsoleStage): void {
  let stage: ConsoleStage;
  beforeAll(() => {
    stage = stageOf();
  });

  test('axe finds nothing where one signs in, nor on the page about the API', async () => {
    await using visit = await stage.visit({ token: null });
    await visit.page.getByText('quickstart-analyst').waitFor();
    await expectNoViolations(visit.page, 'sign in');
    await visit.page.goto(`${stage.url}/docs`);
    await visit.page.locator('#readCaller').getByText('Try it').click();
    await keepOneCall(visit.page);
    await expectNoViolations(visit.page, 'docs');
  });

  test('axe finds nothing around a query: its result, menus, a cell, a plot, an error', async () => {
    await using visit = await stage.visit();
    const { page } = visit;
    await runQuery(page, 'SELECT * FROM stocks');
    await page.locator('tbody td').first().waitFor();
    await page.getByText('History', { exact: true }).click();
    await expectNoViolations(page, 'history');
    await page.keyboard.press('Escape');
    await page.getByText('Columns', { exact: true }).click();
    await expectNoViolations(page, 'columns');
    await page.keyboard.press('Escape');
    await page.locator('tbody td').first().dblclick();
    await page.getByRole('dialog').waitFor();
    await expectNoViolations(page, 'cell');
    await page.keyboard.press('Escape');
    await page.getByRole('tab', { name: 'Plot' }).click();
    await page.locator('svg.chart').waitFor();
    await expectNoViolations(page, 'plot');
    await runQuery(page, 'SELECT nothing');
    await page.getByRole('alert').waitFor();
    await expectNoViolations(page, 'error');
  });

  test('axe finds nothing on any other page, nor in the question before a deletion', async () => {
    await stage.store('SELECT * FROM stocks');
    await using visit = await stage.visit({ place: '/results' });
    const { page } = visit;
    await page.getByRole('button', { name: 'Delete', exact: true }).first().click();
    await page.getByRole('dialog').waitFor();
    await expectNoViolations(page, 'question');
    await page.keyboard.press('Escape');
    for (const name of [
      'results',
      'tables',
      'tables/stocks',
      'preview',
      'tasks',
      'restream',
      'cluster',
      'api/readCaller',
    ]) {
      await page.goto(`${stage.url}/console/#/${name}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.locator('.spinner').first().waitFor({ state: 'detached' });
      if (name === 'api/readCaller') await keepOneCall(page);
      await expectNoViolations(page, name);
    }
  });
}
