import { type Manifest, type Pod, renderChart } from '../../../deploy/helm/render.ts';

/** Values by their paths, as for `--set`. */
export type Values = Readonly<Record<string, string | number | boolean>>;

/** Renders the chart with values that override its own. @throws with the output of Helm */
export function renderWith(helm: string, values: Values = {}): string {
  const sets = Object.entries(values).flatMap(([path, value]) => ['--set', `${path}=${value}`]);
  return renderChart(helm, sets);
}

/** The pods of a rendered chart, by role. */
export function podsOf(manifests: readonly Manifest[]): ReadonlyMap<string, Pod> {
  return new Map(
    manifests.flatMap(({ metadata, spec }) =>
      spec?.template === undefined
        ? []
        : [[metadata.name.replace(/^.*-/, ''), spec.template.spec] as const],
    ),
  );
}
