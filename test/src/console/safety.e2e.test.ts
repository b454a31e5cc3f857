import { brotliDecompressSync } from 'node:zlib';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { readConsoleFiles } from '@quire/console';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ensureSite } from '../../../packages/console/scripts/build-site.ts';
import { chromium, describeWithTool } from '../testkit/toolchain.ts';
import { ConsoleStage, runQuery } from './console-stage.ts';

/** The page draws a moment after it is told. */
const patience = { timeout: 20_000 };

const KB = 1024;

/** Files that come with the first page: what is not the editor's or the plots', which load when they are needed. */
const isLazy = (name: string): boolean => /sql-editor|plot-panel/.test(name);

describe('the files of the console', () => {
  test('are less than 300 KB compressed, without the editor and the plots', async () => {
    await ensureSite(() => undefined);
    const files = await readConsoleFiles();
    const sizes = [...(files ?? [])].map(([name, { bytes, brotli }]) => ({ name, size: (brotli ?? bytes).byteLength }));
    const first = sizes.filter(({ name }) => !isLazy(name));
    expect(first.length).toBeGreaterThan(2);
    expect(first.reduce((sum, { size }) => sum + size, 0)).toBeLessThan(300 * KB);
    expect(sizes.some(({ name }) => isLazy(name))).toBe(true);
  });

  test('are the same compressed and not, and only those whose names tell their bytes are kept for ever', async () => {
    const files = await readConsoleFiles();
    for (const [name, { bytes, brotli, isImmutable }] of files ?? []) {
      expect(brotli === undefined || brotliDecompressSync(brotli).equals(bytes)).toBe(true);
      expect([name, isImmutable]).toEqual([name, name !== 'index.html']);
    }
  });

  test('are not there in a clone that has not built them', async () => {
    expect(await readConsoleFiles('/nowhere')).toBeUndefined();
  });
});

/** What an attacker who could run a line of script would try first. Text, since it runs in the page. */
const attack = `(async () => {
  const thrown = [];
  const attempt = (act) => {
    try {
      act();
    } catch (error) {
      thrown.push(error.name);
    }
  };
  attempt(() => {
    const script = document.createElement('script');
    script.textContent = 'globalThis.wasRun = true';
    document.body.append(script);
  });
  attempt(() => document.body.insertAdjacentHTML('beforeend', '<img src=x onerror="globalThis.wasRun = true">'));
  const elsewhere = await fetch('http://127.0.0.1:1/').then(() => 'answered', (error) => error.name);
  return { thrown, elsewhere, wasRun: 'wasRun' in globalThis };
})()`;

interface AxeResult {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

const axeSource = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What keeps people out of the page as it is now, by axe-core. The page's security policy does not bind the test's own script. */
async function violationsOf(page: Page): Promise<readonly string[]> {
  await page.evaluate(axeSource);
  const violations = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as { readonly axe: { run: () => Promise<{ violations: readonly AxeResult[] }> } };
    return (await axe.run()).violations;
  });
  return violations.flatMap(({ id, nodes }) =>
    nodes.slice(0, 3).map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary ?? ''}`),
  );
}

describeWithTool(chromium, 'the console: safe, and for everybody', (program) => {
  let stage: ConsoleStage;
  beforeAll(async () => {
    stage = await ConsoleStage.open(program);
  });
  afterAll(() => stage[Symbol.asyncDispose]());

  test.each(['light', 'dark'] as const)(
    'axe finds nothing in the %s theme, at both widths',
    { timeout: 120_000 },
    async (colorScheme) => {
      for (const width of [1280, 390]) {
        await using signIn = await stage.visit({ token: null, colorScheme, viewport: { width, height: 800 } });
        await signIn.page.getByText('quickstart-analyst').waitFor();
        expect(await violationsOf(signIn.page)).toEqual([]);
        await using visit = await stage.visit({ colorScheme, viewport: { width, height: 800 } });
        await runQuery(visit.page, 'SELECT * FROM stocks');
        await visit.page.locator('tbody td').first().waitFor();
        expect(await violationsOf(visit.page)).toEqual([]);
        for (const name of ['results', 'tables', 'tables/stocks', 'preview', 'tasks', 'restream', 'cluster', 'api/readCaller']) {
          await visit.page.goto(`${stage.url}/console/#/${name}`);
          await visit.page.getByRole('heading', { level: 1 }).waitFor();
          await visit.page.locator('.spinner').first().waitFor({ state: 'detached' });
          expect([name, await violationsOf(visit.page)]).toEqual([name, []]);
        }
      }
    },
  );

  test('every page is reached and left by keys alone', async () => {
    await using visit = await stage.visit();
    const { page } = visit;
    await page.locator('.editor .cm-content').waitFor();
    const names = ['Results', 'Tables', 'Tasks', 'Restream', 'Cluster', 'API'];
    for (const name of names) {
      for (let steps = 0; steps < 40; steps += 1) {
        if ((await page.evaluate('document.activeElement?.textContent')) === name) break;
        // Back from the editor, and from there on forward.
        await page.keyboard.press(name === 'Results' ? 'Shift+Tab' : 'Tab');
      }
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { level: 1, name }).waitFor();
    }
    await expect.poll(() => page.getByRole('navigation').locator('[aria-current]').innerText(), patience).toBe('API');
  });

  test('a grid is walked by keys: rows, ends, a cell that opens, and the clipboard', async () => {
    await using visit = await stage.visit();
    const { page } = visit;
    await runQuery(page, 'SELECT r AS number, 2 * r AS twice FROM range(100000) t(r)');
    await page.locator('tbody td').first().click();
    await page.keyboard.press('ControlOrMeta+ArrowDown');
    await page.getByText('Row 100,000 of 100,000').waitFor();
    // A key that comes before the grid has drawn the row, and has given it the focus, would go nowhere.
    await page.locator('[role=row][aria-rowindex="100001"] :focus').waitFor();
    await page.keyboard.press('PageUp');
    await page.locator('[role=row][aria-rowindex="99981"] :focus').waitFor();
    expect(await page.getByText('Row 99,980 of 100,000').isVisible()).toBe(true);
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.getByRole('dialog').locator('pre').innerText(), patience).toBe('199958');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('ControlOrMeta+Shift+c');
    await page.getByText('Copied 1 row as TSV.').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe('number\ttwice\n99979\t199958');
  });

  test('every answer of the console has a policy without exceptions, and is what its type says', async () => {
    for (const path of ['/console/', '/console/about.json']) {
      const { headers } = await fetch(stage.url + path);
      const policy = headers.get('content-security-policy') ?? '';
      expect(policy).not.toMatch(/unsafe|\*|https?:/);
      expect(policy).toMatch(
        /default-src 'none'.*script-src 'self'.*style-src 'self'.*connect-src 'self'.*frame-ancestors 'none'/,
      );
      expect([headers.get('x-content-type-options'), headers.get('referrer-policy')]).toEqual(['nosniff', 'no-referrer']);
    }
    expect((await fetch(`${stage.url}/console/../package.json`)).status).not.toBe(200);
    expect((await fetch(`${stage.url}/console/%2e%2e%2fpackage.json`)).status).toBe(404);
  });

  test('the policy holds in the browser: nothing inline runs, and no other origin is called', async () => {
    await using visit = await stage.visit();
    const { page } = visit;
    await page.locator('.editor .cm-content').waitFor();
    const outcome = await page.evaluate(attack);
    expect(outcome).toEqual({ thrown: ['TypeError', 'TypeError'], elsewhere: 'TypeError', wasRun: false });
  });

  test('cells, column names and messages full of markup are shown as they are', { timeout: 120_000 }, async () => {
    await using visit = await stage.visit();
    const { page, complaints } = visit;
    const markup = '<img src=x onerror=alert(1)><script>alert(2)</script>';
    let dialogs = 0;
    page.on('dialog', (dialog) => {
      dialogs += 1;
      void dialog.dismiss();
    });
    await runQuery(page, `SELECT '${markup}' AS "${markup}", '${markup}' AS "__proto__", 'javascript:alert(3)' AS "constructor"`);
    await expect.poll(() => page.locator('thead th .grid-head-name').first().innerText(), patience).toBe(markup);
    await expect.poll(() => page.locator('tbody td').allInnerTexts(), patience).toEqual([markup, markup, 'javascript:alert(3)']);
    await page.locator('tbody td').first().dblclick();
    await expect.poll(() => page.getByRole('dialog').locator('pre').innerText(), patience).toBe(markup);
    await page.keyboard.press('Escape');
    await runQuery(page, `SELECT * FROM "${markup}"`);
    await expect.poll(() => page.getByRole('alert').innerText(), patience).toContain(markup);
    // What a server says of tables, columns and tasks, and what a link brings, is as little to be trusted.
    await page.goto(`${stage.url}/console/#/preview`);
    await page.getByLabel('Paste rows').fill(JSON.stringify({ [markup]: markup }));
    await page.getByRole('button', { name: 'Preview', exact: true }).click();
    await page.getByText('Rows after').waitFor();
    expect(await page.locator('th').filter({ hasText: markup }).count()).toBeGreaterThan(0);
    for (const place of [
      `tables/${encodeURIComponent(markup)}`,
      `tasks/${encodeURIComponent(markup)}`,
      `query?id=${encodeURIComponent(markup)}`,
    ]) {
      await page.goto(`${stage.url}/console/#/${place}`);
      await page.getByRole('alert').first().waitFor();
    }
    const expected = complaints.filter((complaint) => !complaint.startsWith('Failed to load resource'));
    expect([dialogs, await page.locator('img[src=x]').count(), expected]).toEqual([0, 0, []]);
  });
});
