// A page that runs a query and shows its result page by page. Serve it from the origin of Quire, or through a proxy there: brokers send no
// CORS headers. A bundler can serve it unchanged: `npx vite examples/browser`.
import { isQuireError, QuireClient } from '@quire/client';

const client = new QuireClient({ baseUrl: location.origin, token: 'quickstart-analyst' });
const element = (selector) => document.querySelector(selector);
let cursor;

element('form').addEventListener('submit', (event) => {
  event.preventDefault();
  void show(async () => {
    cursor = await client.query(new FormData(event.target).get('sql'), { rowCount: 10 });
    return cursor.page;
  });
});
element('#next').addEventListener('click', () => void show(() => cursor.next()));
element('#previous').addEventListener('click', () => void show(() => cursor.previous()));

/** Shows the page that a step returns, or the reason why there is none. */
async function show(step) {
  try {
    const page = await step();
    if (page === undefined) return;
    const { rows, columns, offset } = page;
    const rowOf = (cells, name) => {
      const row = document.createElement('tr');
      row.append(
        ...cells.map((cell) =>
          Object.assign(document.createElement(name), { textContent: String(cell) }),
        ),
      );
      return row;
    };
    const names = columns.map(({ name }) => name);
    element('table').replaceChildren(rowOf(names, 'th'), ...rows.map((row) => rowOf(row, 'td')));
    element('output').value =
      `rows ${offset + 1} to ${offset + rows.length} of ${cursor.totalRowCount}`;
    element('#previous').disabled = offset === 0;
    element('#next').disabled = offset + rows.length >= cursor.totalRowCount;
  } catch (error) {
    element('output').value = isQuireError(error) ? error.message : String(error);
  }
}
