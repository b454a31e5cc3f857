export type Theme = 'system' | 'light' | 'dark';

const storageKey = 'quire.theme';

export function readTheme(): Theme {
  const kept = localStorage.getItem(storageKey);
  return kept === 'light' || kept === 'dark' ? kept : 'system';
}

export function keepTheme(theme: Theme): void {
  localStorage.setItem(storageKey, theme);
  applyTheme(theme);
}

/** Colours follow the system unless one was chosen. */
export function applyTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
}
