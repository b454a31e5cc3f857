import icon from '../icon.svg';
import { type ReactNode, useState } from 'react';
import { placeOf } from '../router.ts';
import { useSession } from '../session.ts';
import { Icon } from './icons.tsx';
import { pages } from './pages.tsx';
import { keepTheme, readTheme, type Theme } from './theme.ts';

const themes: readonly Theme[] = ['system', 'light', 'dark'];

/** The navigation to all pages that the caller's role may see, and the caller. */
export function Rail({
  current,
  version,
  onSignOut,
}: {
  readonly current: string;
  readonly version: string | undefined;
  readonly onSignOut: () => void;
}): ReactNode {
  const { name, role } = useSession();
  return (
    <header className="rail">
      <a className="brand" href={placeOf(['query'])}>
        <img src={icon} alt="" />
        Quire
      </a>
      <nav aria-label="Pages">
        {pages
          .filter((page) => role === 'admin' || !page.isForAdmins)
          .map((page) => (
            <a
              key={page.name}
              href={placeOf([page.name])}
              aria-current={
                page.name === current || (page.name === 'tables' && current === 'preview')
                  ? 'page'
                  : undefined
              }
            >
              <Icon name={page.icon} />
              {page.title}
            </a>
          ))}
      </nav>
      <div className="rail-foot">
        <div className="who">
          <strong title={name}>{name}</strong>
          <span className="badge">{role}</span>
        </div>
        <div className="rail-actions">
          <ThemeButton />
          <button type="button" className="button plain small" onClick={onSignOut}>
            Sign out
          </button>
        </div>
        {version !== undefined && <small className="quiet version">Version {version}</small>}
      </div>
    </header>
  );
}

function ThemeButton(): ReactNode {
  const [theme, setTheme] = useState(readTheme);
  const next = themes[(themes.indexOf(theme) + 1) % themes.length] ?? 'system';
  return (
    <button
      type="button"
      className="button plain small"
      aria-label={`Colours: ${theme}. Change to ${next}`}
      onClick={() => {
        keepTheme(next);
        setTheme(next);
      }}
    >
      {theme === 'system' ? '◐ System' : theme === 'light' ? '○ Light' : '● Dark'}
    </button>
  );
}
