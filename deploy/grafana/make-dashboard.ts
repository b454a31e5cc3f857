/**
 * Writes the dashboard for Grafana from the panels in panels.ts.
 *
 *     npm run dashboard    writes deploy/grafana/quire.json
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Panel, type Row, rows } from './panels.ts';

/** The width of a panel; a dashboard of Grafana has 24 columns. */
const panelWidth = 8;
const panelHeight = 7;
const selector = 'job=~"$job", instance=~"$instance"';

/** The dashboard as the JSON that Grafana imports: one line for each panel. */
export function renderDashboard(): string {
  const panels = placePanels(rows).map((panel) => `    ${JSON.stringify(panel)}`);
  const rest = JSON.stringify(
    {
      uid: 'quire',
      title: 'Quire',
      description: 'Made by deploy/grafana/make-dashboard.ts. Alerts: deploy/prometheus.',
      tags: ['quire'],
      schemaVersion: 41,
      editable: true,
      refresh: '30s',
      time: { from: 'now-6h', to: 'now' },
      templating: { list: variables() },
    },
    null,
    2,
  );
  return `${rest.slice(0, -2)},\n  "panels": [\n${panels.join(',\n')}\n  ]\n}\n`;
}

function variables(): readonly object[] {
  const choice = (name: string, query: string): object => ({
    name,
    type: 'query',
    datasource: { type: 'prometheus', uid: '${datasource}' },
    query: { query, refId: name },
    refresh: 2,
    includeAll: true,
    multi: true,
    allValue: '.+',
    current: { text: 'All', value: '$__all' },
  });
  return [
    { name: 'datasource', type: 'datasource', query: 'prometheus' },
    choice('job', 'label_values(quire_http_request_duration_seconds_count, job)'),
    choice('instance', 'label_values(up{job=~"$job"}, instance)'),
  ];
}

/** Rows one below the other, and the panels of each from left to right. */
function placePanels(all: readonly Row[]): readonly object[] {
  const placed: object[] = [];
  let y = 0;
  for (const { title, panels } of all) {
    const gridPos = { x: 0, y, w: 24, h: 1 };
    placed.push({
      id: placed.length + 1,
      type: 'row',
      title,
      collapsed: false,
      gridPos,
      panels: [],
    });
    y += 1;
    for (const [index, panel] of panels.entries()) {
      const x = (index * panelWidth) % 24;
      const position = { x, y, w: panelWidth, h: panelHeight };
      placed.push({ id: placed.length + 1, gridPos: position, ...renderPanel(panel) });
      if (x + panelWidth === 24 || index === panels.length - 1) y += panelHeight;
    }
  }
  return placed;
}

function renderPanel({ title, unit, series, note }: Panel): object {
  const datasource = { type: 'prometheus', uid: '${datasource}' };
  return {
    type: 'timeseries',
    title,
    ...(note === undefined ? {} : { description: note }),
    datasource,
    fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
    options: {
      legend: { displayMode: 'list', placement: 'bottom' },
      tooltip: { mode: 'multi', sort: 'desc' },
    },
    targets: Object.entries(series).map(([legendFormat, expr], index) => ({
      refId: String.fromCodePoint(65 + index),
      datasource,
      legendFormat,
      expr: expr.replaceAll('$s', selector).replaceAll('$i', '$__rate_interval'),
    })),
  };
}

if (import.meta.main) {
  writeFileSync(join(import.meta.dirname, 'quire.json'), renderDashboard());
}
