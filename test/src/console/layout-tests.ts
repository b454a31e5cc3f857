import type { Locator, Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { type ConsoleStage, runQuery } from './console-stage.ts';

const phone = { width: 390, height: 800 };

async function boxOf(element: Locator): Promise<{ readonly left: number; readonly right: number }> {
  const { x, width } = (await element.boundingBox()) ?? { x: Number.NaN, width: Number.NaN };
  return { left: x, right: x + width };
}

/** Elements beyond the right edge of the screen, apart from those in boxes that scroll. */
function elementsOutside(page: Page): Promise<readonly string[]> {
  return page.evaluate<readonly string[]>(`(() => {
    const isOutside = (element) => {
      for (let box = element.parentElement; box !== null && !box.matches('main, body'); box = box.parentElement) {
        if (getComputedStyle(box).overflowX !== 'visible') return false;
      }
      return element.getBoundingClientRect().right > innerWidth + 0.5;
    };
    return [...document.body.querySelectorAll('*')]
      .filter(isOutside)
      .map((element) => element.tagName + ' ' + element.textContent.slice(0, 60));
  })()`);
}

/** Boxes that cover, overlap or leave the screen. */
export function testLayout(stageOf: () => ConsoleStage): void {
  let stage: ConsoleStage;
  beforeAll(() => {
    stage = stageOf();
  });

  test('the corner of a grid is as wide as its row numbers and hides those that scroll below it, in both themes', async () => {
    await using visit = await stage.visit();
    const { page } = visit;
    await runQuery(page, 'SELECT r FROM range(200000) t(r)');
    await page.locator('.grid tbody [role=rowheader]').first().waitFor();
    await page.evaluate(`document.querySelector('.grid [role=group]').scrollTop = 1000`);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      // Measured at one moment: the grid replaces the rows that have scrolled away.
      const [rowNumber, corner, strip] = await page.evaluate<readonly object[]>(
        `['tbody [role=rowheader]', 'thead td', '.result-table > div:last-child'].map((selector) => {
          const { left, right } = document.querySelector('.grid ' + selector).getBoundingClientRect();
          return { left, right };
        })`,
      );
      expect([corner, strip]).toEqual([rowNumber, rowNumber]);
      const colours = await page.evaluate<readonly string[]>(
        `['.grid thead td', '.grid thead th'].map((selector) => getComputedStyle(document.querySelector(selector)).backgroundColor)`,
      );
      expect(colours[0]).toBe(colours[1]);
      expect(colours[0]).not.toMatch(/^rgba|transparent/);
    }
    await page.emulateMedia({ colorScheme: null });
  });
  test('every page fits on a phone', async () => {
    await using visit = await stage.visit();
    const { page } = visit;
    await page.setViewportSize(phone);
    await stage.store('SELECT * FROM stocks');
    for (const place of [
      'query',
      'results',
      'tables',
      'tables/stocks',
      'preview',
      'tasks',
      'restream',
      'cluster',
      'api/readCaller',
    ]) {
      await page.goto(`${stage.url}/console/#/${place}`);
      if (place !== 'query') await page.getByRole('heading', { level: 1 }).waitFor();
      await page.locator('.spinner').first().waitFor({ state: 'detached' });
      expect([place, ...(await elementsOutside(page))]).toEqual([place]);
    }
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('quickstart-analyst').waitFor();
    expect(await elementsOutside(page)).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  test('the long name of a task wraps on a phone, and its state is beside it', async () => {
    const taskName = `Task_SegmentGenerationAndPushTask_${'long'.repeat(12)}`;
    const subtask = {
      taskId: `${taskName}_0`,
      state: 'COMPLETED',
      taskConfig: { tableName: 'loaded_OFFLINE', configs: {} },
    };
    const task = {
      taskState: 'COMPLETED',
      subtaskCount: { total: 1, completed: 1, error: 0 },
      startTime: '2026-01-01 00:00:00 UTC',
      subtaskInfos: [subtask],
    };
    await using visit = await stage.visit({ place: '/tables' });
    const { page } = visit;
    await page.setViewportSize(phone);
    await page.route(/\/tasks\/SegmentGenerationAndPushTask\/debug/, (route) =>
      route.fulfill({ json: { [taskName]: task } }),
    );
    await page.route(/\/tasks\/task\/[^/]*\/debug/, (route) => route.fulfill({ json: task }));
    await page.goto(`${stage.url}/console/#/tasks`);
    const row = page.locator('tbody tr').filter({ hasText: taskName });
    const [name, state] = [await boxOf(row.getByRole('link')), await boxOf(row.locator('.badge'))];
    expect(name.right).toBeLessThanOrEqual(state.left);
    expect(state.right).toBeLessThanOrEqual(phone.width);
    await row.getByRole('link').click();
    await page.getByText('Config of the subtask').waitFor();
    expect(await elementsOutside(page)).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 800 });
  });
  test('completions reach beyond the editor, have the tables once they are known, and close when the query runs', async () => {
    await using visit = await stage.visit();
    const { page } = visit;
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    await page.route('**/tables', async (route) => {
      await released;
      await route.continue();
    });
    await page.reload();
    await page.locator('.editor .cm-content').focus();
    await page.keyboard.insertText(`SELECT 1${'\n'.repeat(9)}FROM`);
    await page.keyboard.type(' s');
    const list = page.locator('.cm-tooltip-autocomplete');
    await list.locator('li').first().waitFor();
    expect(await list.locator('li').filter({ hasText: 'stocks' }).count()).toBe(0);
    release();
    await list.locator('li').filter({ hasText: 'stocks' }).waitFor();
    const editor = (await page.locator('.editor').boundingBox()) ?? { y: 0, height: 0 };
    const boxOf = async (): Promise<{ x: number; bottom: number }> => {
      const { x, y, height } = (await list.boundingBox()) ?? { x: 0, y: 0, height: 0 };
      return { x, bottom: y + height };
    };
    // CodeMirror keeps a list that it has not measured yet far above the window.
    await expect.poll(async () => (await boxOf()).bottom).toBeGreaterThan(editor.y + editor.height);
    const { x, bottom } = await boxOf();
    // The editor is in a shadow root; what a click below its edge reaches is in its list.
    const reached = await page.evaluate<string>(
      `document.querySelector('.editor').shadowRoot.elementFromPoint(${x + 5}, ${bottom - 5})?.closest('.cm-tooltip-autocomplete')?.tagName`,
    );
    expect(reached).toBe('DIV');
    await page.keyboard.press('ControlOrMeta+Enter');
    await list.waitFor({ state: 'detached' });
    await page.getByText('The query failed after').waitFor();
    expect(await list.count()).toBe(0);
  });

  test('headings in the menu of a column look unlike its items', async () => {
    await using visit = await stage.visit();
    const { page } = visit;
    await runQuery(page, 'SELECT symbol FROM stocks');
    const head = page.locator('thead th').first();
    await head.hover();
    await head.getByRole('button', { name: /Column menu/ }).click();
    await page.getByRole('menuitem', { name: 'Pin column' }).waitFor();
    const [heading, item] = await page.evaluate<readonly object[]>(
      `['separator', 'menuitem'].map((role) => {
        const { color, fontSize } = getComputedStyle(document.querySelector('[role=menu] > [role=' + role + ']'));
        return { color, size: parseFloat(fontSize) };
      })`,
    );
    const { color, size } = item as { readonly color: string; readonly size: number };
    expect(heading).toEqual({ color: expect.not.stringMatching(color), size: 11 });
    expect(size).toBeGreaterThan(13);
  });
}
