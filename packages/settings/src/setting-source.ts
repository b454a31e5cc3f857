/** Where the value of a setting comes from. */
export type SettingSource =
  | { readonly kind: 'default' }
  | { readonly kind: 'file'; readonly path: string; readonly line: number }
  | { readonly kind: 'environment'; readonly variable: string }
  | { readonly kind: 'override' };

/**
 * The source in words: `default`, `quire.properties:12`, `environment ENGINE_BIND_HOST` or `--set`.
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
