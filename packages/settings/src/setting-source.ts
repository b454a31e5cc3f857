/** The source of a setting's value. */
export type SettingSource =
  | { readonly kind: 'default' }
  | { readonly kind: 'file'; readonly path: string; readonly line: number }
  | { readonly kind: 'environment'; readonly variable: string }
  | { readonly kind: 'override' };

/**
 * Returns the source in words: `default`, `quire.properties:12`, `environment ENGINE_BIND_HOST` or
 * `--set`.
 */
export function formatSettingSource(source: SettingSource): string {
  switch (source.kind) {
    case 'default':
      return 'default';
    case 'file':
      return `${source.path}:${source.line}`;
    case 'environment':
      return `environment ${source.variable}`;
    case 'override':
      return '--set';
  }
}
