import { beforeAll, expect, test } from 'vitest';
import { cellText, type ConsoleStage, runQuery } from './console-stage.ts';

/**
 * The first attempts of an attacker who could run a line of script. They are text, because they run
 * in the page.
 */
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

/**
 * The guarantees for all users: keyboard operation, the security policy, markup that stays text.
 */
export function testSafety(stageOf: () => ConsoleStage): void {
  let stage: ConsoleStage;
  beforeAll(() => {
    stage = stageOf();
  });

  test('every page is reached and left by keys alone', async () => {
    await using visit = await stage.visit();
    const { page } = visit;
    await page.locator('.editor .cm-content').waitFor();
    const names = ['Results', 'Tables', 'Tasks', 'Restream', 'Cluster', 'API'];
    for (const name of names) {
      for (let steps = 0; steps < 40; steps += 1) {
        if ((await page.evaluate('document.activeElement?.textContent')) === name) break;
        // Moves the focus back from the editor, and then forward.
        await page.keyboard.press(name === 'Results' ? 'Shift+Tab' : 'Tab');
      }
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { level: 1, name }).waitFor();
    }
    await expect
      .poll(() => page.getByRole('navigation').locator('[aria-current]').innerText())
      .toBe('API');
  });

  test('names and cells show overrides of direction and other unseen characters as what they are', async () => {
    await using visit = await stage.visit();
    const { page } = visit;
    await runQuery(page, `SELECT 'user\u202egnp.exe' AS "na\u2066me", 'a\u200bb\nc' AS two`);
    expect([await cellText(page, 1, 1), await cellText(page, 1, 2)]).toEqual([
      'user\\u202egnp.exe',
      'a\\u200bb\\nc',
    ]);
    expect(await page.locator('.grid-head-name').allInnerTexts()).toEqual(['na\\u2066me', 'two']);
    await page.locator('tbody td').nth(1).dblclick();
    await expect
      .poll(() => page.getByRole('dialog').locator('pre').innerText())
      .toBe('a\\u200bb\nc');
  });

  test('dates beyond the calendar of browsers are shown, and do not blank the page', async () => {
    await using visit = await stage.visit();
    const { page } = visit;
    await runQuery(page, "SELECT DATE 'infinity' AS x, TIMESTAMP '0044-03-15 (BC) 00:00:00' AS y");
    expect([await cellText(page, 1, 1), await cellText(page, 1, 2)]).toEqual([
      'infinity',
      '0044-03-15 (BC) 00:00:00.0',
    ]);
  });

  test('a grid is walked by keys: rows, ends, a cell that opens, and the clipboard', async () => {
    await using visit = await stage.visit();
    const { page } = visit;
    await runQuery(page, 'SELECT r AS number, 2 * r AS twice FROM range(100000) t(r)');
    await page.locator('tbody td').first().click();
    // Faster than the grid draws: no key is lost.
    for (const key of ['ControlOrMeta+ArrowDown', 'PageUp', 'ArrowRight', 'Enter']) {
      await page.keyboard.press(key);
    }
    await expect.poll(() => page.getByRole('dialog').locator('pre').innerText()).toBe('199958');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await page.getByText('Row 99,980 of 100,000').isVisible()).toBe(true);
    await page.keyboard.press('ControlOrMeta+Shift+c');
    await page.getByText('Copied 1 row as TSV.').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(
      'number\ttwice\n99979\t199958',
    );
    await page.getByLabel('Go to row').fill('500');
    for (const key of ['Enter', 'ArrowDown', 'ArrowDown', 'Enter']) await page.keyboard.press(key);
    await page.getByRole('dialog').getByText('row 502').waitFor();
  });

  test('a closed dialog gives the focus back, and does not take it from where the user has moved it', async () => {
    await using visit = await stage.visit();
    const { page } = visit;
    await runQuery(page, 'SELECT 1 AS one');
    const dialog = page.getByRole('dialog');
    for (const close of ['Escape', 'Enter']) {
      await page.locator('tbody td').first().dblclick();
      await dialog.waitFor();
      await page.keyboard.press(close); // the button of the dialog has the focus
      await dialog.waitFor({ state: 'detached' });
      await expect.poll(() => page.evaluate('document.activeElement?.tagName')).toBe('TD');
    }
    await page.locator('tbody td').first().dblclick();
    await dialog.waitFor();
    // The dialog is removed in a later task than it is closed in.
    const focused = await page.evaluate(`new Promise((resolve) => {
      new MutationObserver(() => {
        if (document.querySelector('dialog') === null) resolve(document.activeElement?.className);
      }).observe(document.body, { childList: true, subtree: true });
      document.querySelector('dialog').close();
      document.querySelector('.editor').shadowRoot.querySelector('.cm-content').focus();
    })`);
    expect(focused).toBe('editor');
    await page.keyboard.insertText('typed');
    expect(await page.locator('.editor .cm-content').innerText()).toContain('typed');
  });

  test('every answer of the console has a policy without exceptions, and is what its type says', async () => {
    for (const path of ['/console/', '/console/about.json']) {
      const { headers } = await fetch(stage.url + path);
      const policy = headers.get('content-security-policy') ?? '';
      expect(policy).not.toMatch(/unsafe|\*|https?:/);
      expect(policy).toMatch(
        /default-src 'none'.*script-src 'self'.*style-src 'self'.*connect-src 'self'.*frame-ancestors 'none'/,
      );
      expect([headers.get('x-content-type-options'), headers.get('referrer-policy')]).toEqual([
        'nosniff',
        'no-referrer',
      ]);
    }
    expect((await fetch(`${stage.url}/console/../package.json`)).status).not.toBe(200);
    expect((await fetch(`${stage.url}/console/%2e%2e%2fpackage.json`)).status).toBe(404);
  });

  test('the policy holds in the browser: nothing inline runs, and no other origin is called', async () => {
    await using visit = await stage.visit();
    const { page, complaints } = visit;
    await page.locator('.editor .cm-content').waitFor();
    const outcome = await page.evaluate(attack);
    expect(outcome).toEqual({
      thrown: ['TypeError', 'TypeError'],
      elsewhere: 'TypeError',
      wasRun: false,
    });
    // Only the errors of the attack; any other test fails if the page reports one.
    expect(complaints.splice(0).join(' ')).toMatch(/Content Security Policy/);
  });

  test('cells, column names and messages full of markup are shown as they are', async () => {
    await using visit = await stage.visit();
    const { page, complaints } = visit;
    const markup = '<img src=x onerror=alert(1)><script>alert(2)</script>';
    let dialogs = 0;
    page.on('dialog', (dialog) => {
      dialogs += 1;
      void dialog.dismiss();
    });
    await runQuery(
      page,
      `SELECT '${markup}' AS "${markup}", '${markup}' AS "__proto__", 'javascript:alert(3)' AS "constructor"`,
    );
    await expect
      .poll(() => page.locator('thead th .grid-head-name').first().innerText())
      .toBe(markup);
    await expect
      .poll(() => page.locator('tbody td').allInnerTexts())
      .toEqual([markup, markup, 'javascript:alert(3)']);
    await page.locator('tbody td').first().dblclick();
    await expect.poll(() => page.getByRole('dialog').locator('pre').innerText()).toBe(markup);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await runQuery(page, `SELECT * FROM "${markup}"`);
    await expect.poll(() => page.getByRole('alert').innerText()).toContain(markup);
    // The server's data about tables, columns and tasks, and the content of links, are equally
    // untrusted.
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
    const expected = complaints.filter(
      (complaint) => !complaint.startsWith('Failed to load resource'),
    );
    expect([dialogs, await page.locator('img[src=x]').count(), expected]).toEqual([0, 0, []]);
  });
}
